"""`model.generate(**inputs, custom_generate=neurologic.decoder(tokenizer, formula), num_beams=8)`.

`ConstrainedGenerate` replaces Hugging Face's own decoding loop. It takes the arguments of `generate` and
returns outputs of the same shapes. It judges texts as `lm.generate` does, and warns about a text that leaves
a clause unmet, or raises.

Limits: it returns neither attentions nor hidden states. `generate` passes neither a streamer nor a tokenizer
on to a custom function, so it streams nothing, and `stop_strings` go to `neurologic.decoder` instead.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import torch
from transformers import GenerationConfig

from neurologic.decoders.registry import DecoderEntry, decoder_named
from neurologic.errors import ModelError, UnsatisfiedError, UnsatisfiedWarning, warn_user
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.generation.compiler import Compiler
from neurologic.generation.job import Job, make_job
from neurologic.generation.judge import judge
from neurologic.generation.request import Constraint
from neurologic.generation.result import Result
from neurologic.integrations.huggingface.beam_rows import BeamRows
from neurologic.integrations.huggingface.inputs import GivenInputs, given_inputs
from neurologic.integrations.huggingface.outputs import Text, output_of
from neurologic.integrations.huggingface.settings import (
    ConfigSettings,
    read_config,
    refuse_settings_of_generate,
)
from neurologic.logic import to_formula
from neurologic.models.internals.calling_convention import logits_size
from neurologic.models.loading import LoadedModel, tie
from neurologic.models.tokenizers import special_ids
from neurologic.search.engine import search
from neurologic.search.hooks import Hooks
from neurologic.search.input_output import SearchOutput
from neurologic.search.settings import SearchSettings

# Models that a decoder keeps, with what it compiled for them.
_KEPT_MODELS = 4


class ConstrainedGenerate:
    """A decoder with its formula, for `custom_generate`. Made by `neurologic.decoder`; thread-safe."""

    def __init__(
        self,
        tokenizer: Any,
        constraint: Constraint | Sequence[Constraint] = None,
        *,
        decoder: str = "neurologic",
        reduce: bool = False,
        on_unsatisfied: Literal["best", "raise"] = "best",
        **settings: Any,
    ) -> None:
        """See `neurologic.decoder`."""
        if on_unsatisfied not in ("best", "raise"):
            raise ValueError(f'on_unsatisfied must be "best" or "raise", not {on_unsatisfied!r}')
        if not hasattr(tokenizer, "all_special_ids"):
            raise TypeError(f"give the model's tokenizer first, not {type(tokenizer).__name__}")
        refuse_settings_of_generate(settings)
        self._tokenizer = tokenizer
        self._decoder = _generating_decoder(decoder)
        self._reduce = reduce
        self._on_unsatisfied = on_unsatisfied
        self._settings = settings
        self._decoder.settings(settings)  # raise for a wrong name or value now
        self._constraint: Any = constraint
        each: Any = constraint if _is_per_input(constraint) else [constraint]
        for formula in each:
            _require_formula(formula)  # raise now, not in the middle of a pipeline
        self._start_anew()

    def _start_anew(self) -> None:
        # The models it was used with and their compilers, by model and by the tokens that end a text.
        self._models: dict[tuple[int, int, int, frozenset[int]], tuple[LoadedModel, Compiler]] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or another process gets; it compiles anew."""
        return {name: value for name, value in vars(self).items() if name not in ("_models", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._start_anew()

    def __call__(
        self,
        model: Any,
        input_ids: torch.Tensor,
        logits_processor: Any = None,
        stopping_criteria: Any = None,
        generation_config: GenerationConfig | None = None,
        synced_gpus: bool = False,
        **model_kwargs: Any,
    ) -> Any:
        """Write the texts; `model.generate` calls this, with rows for all beams."""
        if generation_config is None:
            raise TypeError("model.generate calls this object; pass it as custom_generate=…")
        if model.training and getattr(model, "is_gradient_checkpointing", False):
            raise ModelError(
                "a model that checkpoints gradients keeps no cache in training; call model.eval()"
            )
        loaded, compiler = self._loaded(model, generation_config)
        config = read_config(
            generation_config,
            logits_processor or (),
            stopping_criteria or (),
            prompt_length=input_ids.shape[1],
            decoder=self._decoder,
            own=self._settings,
        )
        expanded = max(generation_config.num_beams, generation_config.num_return_sequences)
        given = given_inputs(loaded, input_ids, expanded, model_kwargs, generation_config.forced_bos_token_id)
        settings = config.settings
        draws = settings.num_return_sequences if settings.do_sample else 1
        if settings.do_sample:  # a search of its own draws each text, all in one batch
            settings = replace(settings, num_return_sequences=1)
        jobs = self._jobs(compiler, given, settings, draws)
        beam_rows = BeamRows(
            config.processors,
            len(given.prompts),
            generation_config.num_beams,
            draws=draws,
            scores=bool(generation_config.return_dict_in_generate and generation_config.output_scores),
            logits=bool(generation_config.return_dict_in_generate and generation_config.output_logits),
        )
        hooks = Hooks(criteria=config.criteria, row_processor=beam_rows, forced_end=config.forced_end)
        inputs = [job.search_input for job in jobs]
        outputs = search(given, inputs, self._decoder.load(), settings, hooks)
        written = [_texts(outputs, number, len(given.prompts)) for number in range(len(given.prompts))]
        results = [
            judge(loaded, jobs[number], replace(outputs[number], texts=[text for _, text in own]))
            for number, own in enumerate(written)
        ]
        self._judge(results, outputs[: len(results)], config)
        return output_of(given, written, results, beam_rows, generation_config)

    def _loaded(self, model: Any, config: GenerationConfig) -> tuple[LoadedModel, Compiler]:
        """Return the model with its tokenizer, and the compiler of its constraints."""
        ends = config.eos_token_id
        end_ids = frozenset([ends] if isinstance(ends, int) else ends or ())
        # Keeping the model makes sure that no other one gets its id; a vocabulary may grow.
        key = (id(model), logits_size(model), len(self._tokenizer), end_ids)
        with self._lock:
            if key not in self._models:
                while len(self._models) >= _KEPT_MODELS:
                    self._models.pop(next(iter(self._models)))
                loaded = tie(model, self._tokenizer, end_ids=end_ids or None)
                self._models[key] = loaded, Compiler(loaded.vocabulary)
            return self._models[key]

    def _jobs(
        self, compiler: Compiler, given: GivenInputs, settings: SearchSettings, draws: int
    ) -> list[Job]:
        """Return a job per input and draw: those of the first draw, then those of the second, and so on."""
        count = len(given.prompts)
        constraints = self._constraint if _is_per_input(self._constraint) else [self._constraint] * count
        if len(constraints) != count:
            raise ValueError(
                f"{count} inputs but {len(constraints)} constraints; give one constraint per input (None for "
                'no constraint), or a single one for all that is not a list: {"clauses": …}. A pipeline runs '
                "its inputs one at a time"
            )
        jobs = [
            make_job(
                compiler,
                prompt,
                constraint,
                self._decoder,
                settings,
                reduce=self._reduce,
                earlier=(*prompt.ids, *prompt.opening),
            )
            for prompt, constraint in zip(given.prompts, constraints, strict=True)
        ]
        _require_silent_opening(jobs, given.loaded.tokenizer)
        if not settings.do_sample:
            return jobs
        if "seed" in self._settings:
            seeds = [job.search_input.seed + draw for draw in range(draws) for job in jobs]
        else:  # as Hugging Face's sampling, with torch's own generator: `set_seed` makes it repeatable
            seeds = torch.randint(2**62, (count * draws,)).tolist()
        return [
            replace(job, search_input=replace(job.search_input, seed=seed))
            for job, seed in zip(jobs * draws, seeds, strict=True)
        ]

    def _judge(
        self, results: Sequence[Result], outputs: Sequence[SearchOutput], config: ConfigSettings
    ) -> None:
        """Warn about texts with unmet clauses, or refuse them."""
        for number, (result, output) in enumerate(zip(results, outputs, strict=True)):
            if result.satisfied:
                continue
            where = f"input {number}: " if len(results) > 1 else ""
            message = f"{where}unmet: {'; '.join(result.unmet)} in {result.text!r}"
            if self._on_unsatisfied == "raise":
                raise UnsatisfiedError(message, result)
            if output.promised and not output.kept and config.processors:
                names = ", ".join(type(processor).__name__ for processor in config.processors)
                message += f" (the guarantee lapsed: {names} forbade what the search had planned)"
            warn_user(message, UnsatisfiedWarning)


def _texts(outputs: Sequence[SearchOutput], number: int, inputs: int) -> list[Text]:
    """Return the texts of one input of the call, best first, each with the number of its search."""
    texts = [(place, text) for place in range(number, len(outputs), inputs) for text in outputs[place].ranked]
    if len(outputs) > inputs:  # several searches drew them
        texts.sort(key=lambda text: (-text[1].satisfied, -text[1].score))
    return texts


def _require_formula(constraint: Any) -> None:
    if isinstance(constraint, CompiledConstraint):
        raise TypeError("give the formula itself; generate compiles it for its model")
    to_formula(constraint)


def _require_silent_opening(jobs: Sequence[Job], tokenizer: Any) -> None:
    """Refuse a forced first token of text: it would be part of the text, but not of the verdict."""
    opening = {token for job in jobs if job.whole.clauses for token in job.search_input.prompt.opening}
    if not special_ids(tokenizer).issuperset(opening):
        raise ModelError("forced_bos_token_id is a token of text; under a formula it has to be a special one")


def _is_per_input(constraint: Any) -> bool:
    """Tell a list, which holds one constraint per input, from a single constraint."""
    return isinstance(constraint, (list, tuple))


def _generating_decoder(name: str) -> DecoderEntry:
    entry = decoder_named(name)
    if entry.edits:
        raise ValueError(f"the decoder {name} edits whole sentences; use it with lm.generate")
    return entry
