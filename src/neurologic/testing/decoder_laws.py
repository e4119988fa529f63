"""The laws of every decoder that writes from left to right, on random toy models and small formulas.

Each law is a function that takes a factory of decoders, and raises `AssertionError` if the decoder breaks
the law. A decoder that cannot express all of the formulas gets those that it can express.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_formula
from neurologic.logic import Expressivity, check, occurs, parse, to_clauses
from neurologic.models.base import EncodedPrompt
from neurologic.search.decoder import Decoder
from neurologic.search.engine import search
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.rules import Rule
from neurologic.search.settings import SearchSettings
from neurologic.testing.toys import END, random_model, toy_vocabulary

MakeDecoder = Callable[[], Decoder]

VOCABULARY = toy_vocabulary("a", "b", "c", " ", " a", " b", "ab", ".", "s", " c", ",")
FORMULAS = ("a", "a & b", "!c", "b & !a", "(a | c) & b", '"a b" | !s', "at_least(2, a, b, c)", "a -> c")
_PROMPTS = ((1,), (2, 3), (4, 5, 1), (2,))
_SEEDS = range(6)


class DecoderLaw(Protocol):
    """A law: raises `AssertionError` if the decoder breaks it."""

    __name__: str

    def __call__(self, decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None: ...


def texts_repeat(decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None:
    """The same input and the same seed give the same texts."""
    for seed, constraint, settings in _cases(expresses):
        first, second = (_run(decoder, seed, [constraint], settings) for _ in range(2))
        assert first == second, f"two runs differ: {first} and {second}"


def batches_change_nothing(decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None:
    """A text alone is the text in a batch, and costs as many model calls."""
    settings = SearchSettings(num_beams=3, max_new_tokens=8)
    constraints = _constraints(expresses)[: len(_PROMPTS)]
    for seed in _SEEDS:
        together = _run(decoder, seed, constraints, settings)
        for place, constraint in enumerate(constraints):
            prompt = _PROMPTS[place]
            (alone,) = _run(decoder, seed, [constraint], settings, prompts=[prompt])
            assert together[place] == alone, f"alone: {alone}, in a batch: {together[place]}"


def phrases_are_tracked(decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None:
    """What the search tracks of a text is what a plain reading of the text finds."""
    for seed, constraint, settings in _cases(expresses):
        for text in _texts(decoder, seed, constraint, settings):
            found = read(text)
            for place, phrase in enumerate(constraint.phrases):
                tracked = bool(text.present >> place & 1)
                assert tracked == occurs(phrase, found), f"{phrase} in {found!r}: tracked as {tracked}"
            satisfied = sum(report.satisfied for report in check(constraint.clauses, found))
            assert text.satisfied == satisfied, (
                f"{found!r} satisfies {satisfied} clauses, not {text.satisfied}"
            )


def texts_end_once(decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None:
    """A text has one end token, at its end, or is cut off at the limit."""
    for seed, constraint, settings in _cases(expresses):
        for text in _texts(decoder, seed, constraint, settings):
            ended = text.ending == "end"
            assert (END in text.tokens) == ended
            assert END not in text.tokens[:-1]
            assert ended or len(text.tokens) == settings.max_new_tokens


def promises_are_kept(decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None:
    """A decoder with payment plans satisfies the formula whenever the plan fits into the budget."""
    if decoder().rule is not Rule.BUDGET:
        return
    for seed, constraint, settings in _cases(expresses):
        (output,) = _run(decoder, seed, [constraint], settings)
        bound = constraint.upper_bound()
        assert output.promised == (bound is not None and bound <= settings.max_new_tokens)
        if output.promised:
            found = read(output.texts[0])
            unmet = [report.text for report in check(constraint.clauses, found) if not report.satisfied]
            assert not unmet, f"{found!r} was promised to satisfy {', '.join(unmet)}"


DECODER_LAWS: tuple[DecoderLaw, ...] = (
    texts_repeat,
    batches_change_nothing,
    phrases_are_tracked,
    texts_end_once,
    promises_are_kept,
)


def check_decoder(decoder: MakeDecoder, expresses: Expressivity = Expressivity.ANYTHING) -> None:
    """Check all laws; `decoder` makes a new decoder, `expresses` says which formulas it can obey."""
    for law in DECODER_LAWS:
        law(decoder, expresses)


def read(text: Finished) -> str:
    """Return the text of a finished hypothesis."""
    tokens = text.tokens[:-1] if text.ending == "end" else text.tokens
    return VOCABULARY.decode(tokens).decode(errors="replace")


def _constraints(expresses: Expressivity) -> list[CompiledConstraint]:
    formulas = [parse(formula) for formula in FORMULAS]
    expressible = [
        formula for formula in formulas if all(expresses.covers(clause) for clause in to_clauses(formula))
    ]
    compiled = [compile_formula(formula, VOCABULARY) for formula in expressible]
    return [*compiled, compile_formula(None, VOCABULARY)]


def _cases(expresses: Expressivity) -> Iterator[tuple[int, CompiledConstraint, SearchSettings]]:
    for seed in _SEEDS:
        for constraint in _constraints(expresses):
            yield seed, constraint, SearchSettings(num_beams=3, max_new_tokens=2 + seed % 7, seed=seed)


def _texts(
    decoder: MakeDecoder, seed: int, constraint: CompiledConstraint, settings: SearchSettings
) -> list[Finished]:
    (output,) = _run(decoder, seed, [constraint], settings)
    assert output.texts, "a search must give at least one text"
    return output.texts


def _run(
    decoder: MakeDecoder,
    seed: int,
    constraints: Sequence[CompiledConstraint],
    settings: SearchSettings,
    *,
    prompts: Sequence[tuple[int, ...]] = _PROMPTS,
) -> list[SearchOutput]:
    inputs = [
        SearchInput(EncodedPrompt(prompt), constraint, settings.seed)
        for prompt, constraint in zip(prompts, constraints, strict=False)
    ]
    return search(random_model(VOCABULARY, seed), inputs, decoder(), settings)
