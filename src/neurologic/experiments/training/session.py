"""A training with its model loaded and every step planned: how long it will take, and running it.

transformers' trainer does the work: AdamW, a linear schedule with a short warm-up, gradients clipped at 1. It
checkpoints ten times on the way. Limits: one process; bfloat16 on a GPU that has it, else full precision.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from neurologic.experiments.training.base_model import load_base
from neurologic.experiments.training.batches import Collator, Planned, plan_batches
from neurologic.experiments.training.curve import draw, last_loss, points_of, write_points
from neurologic.experiments.training.examples import Encoder, Example
from neurologic.experiments.training.folder import TrainingError, TrainingFolder
from neurologic.experiments.training.lora import merged
from neurologic.experiments.training.pairs import Pair, Sample
from neurologic.models.internals.quiet import quiet
from neurologic.models.prompts import max_positions

_CHECKPOINTS = 10
_POINTS = 50  # of the training's line in the loss curve
_WATCHED = 128  # pairs of the held-out line: few, since they are looked at once per checkpoint
_WARM_UP = 0.05
_WEIGHT_DECAY = 0.01
_BACKWARD = 2.0  # times the work of going forward


class Session:
    """A training, ready to run.

    steps     how many there are in all
    done      how many of them an earlier run has done
    examples  what is trained on; `left_out` more were longer than `max_tokens`
    """

    def __init__(
        self, folder: TrainingFolder, sample: Sample, *, device: str | None = None, threads: int | None = None
    ) -> None:
        settings = folder.settings
        self._folder = folder
        self._settings = settings
        self._model, self._tokenizer = load_base(settings, device, threads)
        self._encode = Encoder(self._model, self._tokenizer)
        self.examples = self._short_enough(sample.training)
        self.left_out = len(sample.training) - len(self.examples)
        if not self.examples:
            raise TrainingError(f"there is no example of at most {settings.max_tokens} tokens to train on")
        self._watched = self._short_enough(_one_per_source(sample.held_out)[:_WATCHED])
        self._plan = plan_batches(
            [example.size for example in self.examples],
            settings.batch_size,
            epochs=settings.epochs,
            steps=settings.steps,
            seed=settings.seed,
        )
        self._checkpoint = folder.last_checkpoint()
        self.steps = len(self._plan)
        self.done = int(self._checkpoint.name.partition("-")[2]) if self._checkpoint else 0

    def _short_enough(self, pairs: Sequence[Pair]) -> list[Example]:
        most = min(self._settings.max_tokens, max_positions(self._model.config) or self._settings.max_tokens)
        examples = self._encode(pairs, adapt=self._settings.adapt)
        return [one for one in examples if max(len(one.input_ids), len(one.labels)) <= most]

    @property
    def parameters(self) -> int:
        """All weights of the model."""
        return sum(weights.numel() for weights in self._model.parameters())

    # -- how long ---------------------------------------------------------------------------------

    def estimate(self) -> float:
        """Seconds for the steps that are left, by a batch of middling work that is tried out."""
        rest = self._plan[self.done :]
        if not rest:
            return 0.0
        middling = sorted(rest, key=self._work)[len(rest) // 2]
        seconds = min(self._try_out(middling) for _ in range(2))  # the first one warms up
        watching = sum(example.size for example in self._watched) / (1 + _BACKWARD)
        work = sum(map(self._work, rest)) + watching * _CHECKPOINTS * len(rest) / self.steps
        return seconds * work / self._work(middling)

    def _work(self, batch: Sequence[int]) -> int:
        """What the time of a step grows with: its rows, padded."""
        return len(batch) * max(self.examples[place].size for place in batch)

    def _try_out(self, batch: Sequence[int]) -> float:
        """Seconds of going forward and backward; the weights stay as they are."""
        tensors = self._collator([self.examples[place] for place in batch])
        started = time.perf_counter()
        on_device = {name: tensor.to(self._model.device) for name, tensor in tensors.items()}
        self._model(**on_device).loss.backward()
        self._model.zero_grad()
        return time.perf_counter() - started

    @property
    def _collator(self) -> Collator:
        pad = self._tokenizer.pad_token_id
        return Collator(self._encode.end_id if pad is None else pad)  # masked, so that any token does

    # -- running ----------------------------------------------------------------------------------

    def run(
        self, advance: Callable[[], None] = lambda: None, should_stop: Callable[[], bool] = lambda: False
    ) -> bool:
        """Train to the end and put the model into the folder; False if it was stopped before.

        advance      called after every step
        should_stop  asked after every step; when it says so, a checkpoint is written and the run ends
        """
        use_cache = getattr(self._model.config, "use_cache", None)
        watch = _Watch(self._folder, advance, should_stop)
        with quiet():
            trainer = _PlannedTrainer(
                model=self._model,
                args=self._arguments(),
                train_dataset=_dataset(self.examples),
                eval_dataset=_dataset(self._watched),
                data_collator=self._collator,
                callbacks=[watch],
            )
            trainer.plan = self._plan
            trainer.remove_callback(PrinterCallback)
            trainer.train(resume_from_checkpoint=str(self._checkpoint) if self._checkpoint else None)
            if use_cache is not None:
                self._model.config.use_cache = use_cache  # the trainer has switched it off
            if trainer.state.global_step < self.steps:
                return False
            self._finish(trainer.state.log_history, watch.seconds)
        return True

    def _arguments(self) -> TrainingArguments:
        settings = self._settings
        on_gpu = self._model.device.type == "cuda"
        often = -(-self.steps // _CHECKPOINTS)
        return TrainingArguments(
            output_dir=str(self._folder.checkpoints),
            max_steps=self.steps,
            per_device_train_batch_size=settings.batch_size,
            per_device_eval_batch_size=settings.batch_size,
            learning_rate=settings.rate,
            lr_scheduler_type="linear",
            warmup_steps=int(_WARM_UP * self.steps),
            weight_decay=_WEIGHT_DECAY,
            logging_steps=max(1, self.steps // _POINTS),
            logging_first_step=True,
            eval_strategy="steps" if self._watched else "no",
            eval_on_start=bool(self._watched) and self.done == 0,
            eval_steps=often,
            prediction_loss_only=True,
            save_strategy="steps",
            save_steps=often,
            save_total_limit=2,  # the one before, in case that the last one is torn
            seed=settings.seed,
            data_seed=settings.seed,
            use_cpu=not on_gpu,
            bf16=on_gpu and torch.cuda.is_bf16_supported(),
            dataloader_pin_memory=on_gpu,
            remove_unused_columns=False,
            report_to="none",
            disable_tqdm=True,
        )

    def _finish(self, history: list[dict[str, Any]], seconds: float) -> None:
        points = points_of(history)
        write_points(points, self._folder.path)
        kind = "sentences only" if self._settings.adapt else "supervised"
        draw(points, self._folder.path, f"{self._settings.model.rpartition('/')[2]}, {kind}")
        parameters = self.parameters
        model = self._model if self._settings.lora is None else merged(self._model)
        model.eval()
        if not self._settings.adapt:
            # It was taught to continue plain sources, and would not know the turns of a conversation.
            self._tokenizer.chat_template = None
        self._folder.finish(
            model,
            self._tokenizer,
            {
                "steps": self.steps,
                "examples": len(self.examples),
                "left_out": self.left_out,
                "parameters": parameters,
                "seconds": round(seconds, 1),
                "loss": last_loss(points, held_out=False),
                "held_out_loss": last_loss(points, held_out=True),
            },
        )


class _PlannedTrainer(Trainer):
    """transformers' trainer with batches that were planned beforehand."""

    plan: Sequence[Sequence[int]] = ()

    def get_train_dataloader(self) -> DataLoader:
        return self._loader(self.train_dataset, self.plan)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> DataLoader:
        data: Any = self.eval_dataset if eval_dataset is None else eval_dataset
        places = sorted(range(len(data)), key=lambda place: data[place].size)
        size = self.args.eval_batch_size
        return self._loader(data, [places[start : start + size] for start in range(0, len(places), size)])

    def _loader(self, data: Any, plan: Sequence[Sequence[int]]) -> DataLoader:
        loader = DataLoader(data, batch_sampler=Planned(plan), collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)


class _Watch(TrainerCallback):
    """What happens beside the training: the curve, the marks of checkpoints, the bar, and stopping."""

    def __init__(
        self, folder: TrainingFolder, advance: Callable[[], None], should_stop: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._advance = advance
        self._should_stop = should_stop
        self._started = time.monotonic()
        self._before = 0.0  # seconds of earlier runs

    @property
    def seconds(self) -> float:
        return self._before + time.monotonic() - self._started

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._before = state.log_history[-1].get("seconds", 0.0) if state.log_history else 0.0
        self._started = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._advance()
        if self._should_stop() and state.global_step < state.max_steps:
            control.should_save = True
            control.should_training_stop = True

    def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        state.log_history[-1]["seconds"] = round(self.seconds, 1)
        write_points(points_of(state.log_history), self._folder.path)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._folder.mark_complete(state.global_step)


def _one_per_source(pairs: Sequence[Pair]) -> list[Pair]:
    return list({pair.source or pair.target: pair for pair in reversed(pairs)}.values())[::-1]


def _dataset(examples: list[Example]) -> Any:
    return examples  # a list is all that torch needs, though its types ask for more
