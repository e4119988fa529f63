"""A training with its model loaded and every step planned: estimate its time, and run it.

transformers' trainer does the work: AdamW, a linear schedule with a short warm-up, gradients clipped at 1,
ten checkpoints. Limits: one process; bfloat16 on a GPU that has it, otherwise full precision.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from neurologic.experiments.training.base_model import load_base
from neurologic.experiments.training.batches import collate, plan_batches
from neurologic.experiments.training.examples import Encoder, Example
from neurologic.experiments.training.folder import TrainingError, TrainingFolder
from neurologic.experiments.training.loss_curve import draw, last_loss, points_of, write_points
from neurologic.experiments.training.pairs import Pair, Sample
from neurologic.models.internals.quiet import quiet
from neurologic.models.prompts import max_positions

_CHECKPOINTS = 10
_POINTS = 50  # points on the training loss curve
_EVALUATED = 128  # held-out pairs in the loss curve: few, because every checkpoint evaluates them
_WARM_UP = 0.05
_WEIGHT_DECAY = 0.01
_BACKWARD = 2.0  # the work of a backward pass, in forward passes


class Training:
    """A training, ready to run.

    steps     the number of all steps
    done      the steps that an earlier run has done
    examples  examples to train on; `left_out` more were longer than `max_tokens`
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
        evaluated = self._short_enough(_first_per_source(sample.held_out)[:_EVALUATED])
        self._evaluated = sorted(evaluated, key=lambda example: example.size)  # less padding
        self._plan = plan_batches(
            [example.size for example in self.examples],
            settings.batch_size,
            epochs=settings.epochs,
            steps=settings.steps,
            seed=settings.seed,
        )
        pad = self._tokenizer.pad_token_id
        # Padding is masked, so any token will do.
        self._collate = partial(collate, pad_id=self._encode.end_id if pad is None else pad)
        self._checkpoint = folder.last_checkpoint()
        self.steps = len(self._plan)
        self.done = int(self._checkpoint.name.partition("-")[2]) if self._checkpoint else 0

    def _short_enough(self, pairs: Sequence[Pair]) -> list[Example]:
        most = min(self._settings.max_tokens, max_positions(self._model.config) or self._settings.max_tokens)
        examples = self._encode(pairs, adapt=self._settings.adapt)
        return [example for example in examples if max(len(example.input_ids), len(example.labels)) <= most]

    @property
    def parameters(self) -> int:
        """The number of all weights, LoRA's included."""
        return sum(weights.numel() for weights in self._model.parameters())

    # -- estimate ---------------------------------------------------------------------------------

    def estimate(self) -> float:
        """Return the seconds for the steps that are left, from a trial of the batch of median work."""
        rest = self._plan[self.done :]
        if not rest:
            return 0.0
        median = sorted(rest, key=self._work)[len(rest) // 2]
        seconds = min(self._trial(median) for _ in range(2))  # the first one warms up
        evaluating = sum(example.size for example in self._evaluated) / (1 + _BACKWARD)
        work = sum(map(self._work, rest)) + evaluating * _CHECKPOINTS * len(rest) / self.steps
        return seconds * work / self._work(median)

    def _work(self, batch: Sequence[int]) -> int:
        """Return the padded size of a batch, to which the time of its step is proportional."""
        return len(batch) * max(self.examples[index].size for index in batch)

    def _trial(self, batch: Sequence[int]) -> float:
        """Return the seconds of a forward and a backward pass that change no weights."""
        tensors = self._collate([self.examples[index] for index in batch])
        started = time.perf_counter()
        on_device = {name: tensor.to(self._model.device) for name, tensor in tensors.items()}
        self._model(**on_device).loss.backward()
        self._model.zero_grad()
        return time.perf_counter() - started

    # -- run --------------------------------------------------------------------------------------

    def run(
        self, advance: Callable[[], None] = lambda: None, should_stop: Callable[[], bool] = lambda: False
    ) -> bool:
        """Train to the end and put the model into the folder; return False if stopped before.

        advance      called after every step
        should_stop  asked after every step; if true, the run writes a checkpoint and ends
        """
        use_cache = getattr(self._model.config, "use_cache", None)
        observer = _Observer(self._folder, advance, should_stop)
        data: dict[str, Any] = {"train_dataset": self.examples, "eval_dataset": self._evaluated}
        with quiet():
            trainer = _PlannedTrainer(
                model=self._model,
                args=self._arguments(),
                data_collator=self._collate,
                callbacks=[observer],
                **data,
            )
            trainer.plan = self._plan
            trainer.remove_callback(PrinterCallback)
            trainer.train(resume_from_checkpoint=str(self._checkpoint) if self._checkpoint else None)
            if use_cache is not None:
                self._model.config.use_cache = use_cache  # the trainer has switched it off
            if trainer.state.global_step < self.steps:
                return False
            self._finish(trainer.state.log_history, observer.seconds)
        return True

    def _arguments(self) -> TrainingArguments:
        settings = self._settings
        on_gpu = self._model.device.type == "cuda"
        checkpoint_steps = -(-self.steps // _CHECKPOINTS)
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
            eval_strategy="steps" if self._evaluated else "no",
            eval_on_start=bool(self._evaluated) and self.done == 0,
            eval_steps=checkpoint_steps,
            prediction_loss_only=True,
            save_strategy="steps",
            save_steps=checkpoint_steps,
            save_total_limit=2,  # the one before, in case the last one is torn
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
        result = {
            "steps": self.steps,
            "examples": len(self.examples),
            "left_out": self.left_out,
            "parameters": self.parameters,
            "seconds": round(seconds, 1),
            "loss": last_loss(points, held_out=False),
            "held_out_loss": last_loss(points, held_out=True),
        }
        model = self._model if self._settings.lora is None else self._model.merge_and_unload()
        model.eval()
        if not self._settings.adapt:
            # The model has learned to continue plain sources, not to answer in a conversation.
            self._tokenizer.chat_template = None
        self._folder.finish(model, self._tokenizer, result)


class _PlannedTrainer(Trainer):
    """transformers' trainer with batches that are planned beforehand."""

    plan: Sequence[Sequence[int]] = ()

    def get_train_dataloader(self) -> DataLoader:
        data: Any = self.train_dataset
        batches: Any = self.plan
        loader = DataLoader(data, batch_sampler=batches, collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)


class _Observer(TrainerCallback):
    """Writes the loss curve, marks checkpoints as complete, advances the progress bar, and stops."""

    def __init__(
        self, folder: TrainingFolder, advance: Callable[[], None], should_stop: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._advance = advance
        self._should_stop = should_stop
        self._started = time.monotonic()
        self._earlier = 0.0  # seconds of earlier runs

    @property
    def seconds(self) -> float:
        return self._earlier + time.monotonic() - self._started

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._earlier = state.log_history[-1].get("seconds", 0.0) if state.log_history else 0.0
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


def _first_per_source(pairs: Sequence[Pair]) -> list[Pair]:
    return list({pair.source or pair.target: pair for pair in reversed(pairs)}.values())[::-1]
