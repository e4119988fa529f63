"""Hugging Face's `force_words_ids`, `bad_words_ids` and `Constraint` objects as formulas.

Constrained beam search left transformers with version 5; this module reads arguments written for it. A phrase
stays a sequence of token ids (match="tokens"), or becomes the text that the ids decode to (match="word" or
"substring"), in any segmentation. With a `tokenizer` it checks that the ids exist and are not special.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from neurologic.errors import FormulaError
from neurologic.integrations import token_id_lists
from neurologic.integrations.token_id_lists import Ids
from neurologic.logic.characters import is_word_character
from neurologic.logic.constructors import all_of, any_of
from neurologic.logic.formula import Formula, Not, Or, Phrase
from neurologic.logic.phrase_validation import CASES, MATCHES, Case, Match, checked_option


def from_force_words(
    force_words_ids: Any = None,
    bad_words_ids: Any = None,
    constraints: Any = None,
    tokenizer: Any = None,
    match: Match = "tokens",
    case: Case = "exact",
) -> Formula:
    """Return the formula of arguments for `model.generate` of transformers 4.

    force_words_ids  phrases of token ids that must occur; in place of a phrase, a list of phrases
                     means that one of them must
    bad_words_ids    phrases of token ids of which none may occur
    constraints      a list of formulas, such as this package's `PhrasalConstraint`, `DisjunctiveConstraint`
    tokenizer        checks ids and lets reports show the text
    match            "tokens", or with a tokenizer "word" or "substring": look for the decoded text instead
    case             how to compare decoded text: "exact", as with ids, or "fold"

    Ids may come as lists, tuples, arrays, tensors or a tokenizer's whole output.

    >>> print(from_force_words([[5, 6]], bad_words_ids=[[7]]))
    "tokens 5 6"[match=tokens, ids=5 6] & !"token 7"[match=tokens, ids=7]
    """
    checked_option("match", match, MATCHES)
    checked_option("case", case, CASES)
    if match != "tokens" and tokenizer is None:
        raise FormulaError(f'match="{match}" looks for the text of the ids, so it needs a tokenizer')
    if force_words_ids is None and bad_words_ids is None and constraints is None:
        raise FormulaError("give force_words_ids, bad_words_ids or constraints")
    reader = _Reader(tokenizer, match, case)
    parts: list[Formula] = []
    if force_words_ids is not None:
        parts += reader.required(force_words_ids)
    if constraints is not None:
        parts += reader.constraints(constraints)
    if bad_words_ids is not None:
        parts += reader.forbidden(bad_words_ids)
    for remark in reader.remarks:
        warnings.warn(remark, stacklevel=2)
    return all_of(*dict.fromkeys(parts))


def PhrasalConstraint(token_ids: Any) -> Phrase:  # noqa: N802 (Hugging Face's name)
    """Require these ids, one after the other, in place of Hugging Face's class.

    >>> print(PhrasalConstraint([5, 6]))
    "tokens 5 6"[match=tokens, ids=5 6]
    """
    return _Reader().phrase(token_id_lists.phrase(token_ids, "token_ids"), "token_ids")


def DisjunctiveConstraint(nested_token_ids: Any) -> Formula:  # noqa: N802 (Hugging Face's name)
    """Require one of these phrases, in place of Hugging Face's class.

    Unlike there, an alternative may be the beginning of another one.

    >>> print(DisjunctiveConstraint([[5], [5, 6]]))
    "token 5"[match=tokens, ids=5] | "tokens 5 6"[match=tokens, ids=5 6]
    """
    place = "nested_token_ids"
    return _Reader().one_of(token_id_lists.phrases(nested_token_ids, place), place)


@dataclass(frozen=True)
class _Reader:
    """Turns phrases of ids into formulas; `place` names the argument in errors.

    remarks  warnings for the caller
    """

    tokenizer: Any = None
    match: Match = "tokens"
    case: Case = "exact"
    remarks: list[str] = field(default_factory=list)

    def required(self, given: Any) -> list[Formula]:
        place = "force_words_ids"
        groups = token_id_lists.groups(given, place)
        return [self.one_of(group, f"{place}[{index}]") for index, group in enumerate(groups)]

    def forbidden(self, given: Any) -> list[Formula]:
        place = "bad_words_ids"
        # The search never writes special tokens, so forbidding one by itself (a usual setting for <pad>)
        # needs no clause. Among other ids it is a mistake: the phrase would forbid nothing.
        return [
            Not(self.phrase(ids, f"{place}[{index}]"))
            for index, ids in enumerate(token_id_lists.phrases(given, place))
            if not self._special_ids.issuperset(ids)
        ]

    def constraints(self, given: Any) -> list[Formula]:
        if not isinstance(given, (list, tuple)):
            raise FormulaError(
                "constraints must be a list, as in [PhrasalConstraint(ids)], "
                f"not {token_id_lists.kind(given)}"
            )
        token_id_lists.require_some(given, "constraints")
        return [self._constraint(item, f"constraints[{index}]") for index, item in enumerate(given)]

    def _constraint(self, item: Any, place: str) -> Formula:
        alternatives = item.parts if isinstance(item, Or) else (item,)
        ids = [part.ids for part in alternatives if isinstance(part, Phrase) and part.ids is not None]
        if len(ids) == len(alternatives):  # made without the tokenizer, which knows their text
            return self.one_of(ids, place)
        if isinstance(item, Formula):
            return item
        raise FormulaError(
            f"{place}: expected PhrasalConstraint, DisjunctiveConstraint or another formula of neurologic, "
            f"found {token_id_lists.kind(item)}"
        )

    def one_of(self, alternatives: Sequence[Ids], place: str) -> Formula:
        several = len(alternatives) > 1
        phrases = [
            self.phrase(ids, f"{place}[{index}]" if several else place)
            for index, ids in enumerate(alternatives)
        ]
        if self.tokenizer is not None and self.match == "tokens" and all(map(self._is_glued, alternatives)):
            self.remarks.append(_about_glued_word(phrases[0].text, place))
        return any_of(*dict.fromkeys(phrases))

    def phrase(self, ids: Ids, place: str) -> Phrase:
        if self.tokenizer is None:
            return Phrase(f"token{'s' * (len(ids) > 1)} {' '.join(map(str, ids))}", "tokens", ids=ids)
        self._require_known(ids, place)
        text = self._decoded(ids)
        if self.match == "tokens":
            return Phrase(text.strip() or text, "tokens", ids=ids)
        if "\ufffd" in text:
            raise FormulaError(f'{place} decodes to {text!r}, a part of a character; use match="tokens"')
        try:
            return Phrase(text, self.match, self.case)
        except FormulaError as error:
            raise FormulaError(f"{place}: {error}") from error

    # -- asking the tokenizer ----------------------------------------------------------------------

    def _require_known(self, ids: Ids, place: str) -> None:
        unknown = [token for token in ids if token >= self._size]
        if unknown:
            raise FormulaError(
                f"{place} holds {unknown[0]}, but this tokenizer's ids end at {self._size - 1}; were these "
                "made with another tokenizer?"
            )
        special = [token for token in ids if token in self._special_ids]
        if special:
            name = f"{self.tokenizer.convert_ids_to_tokens(special[0])} ({special[0]})"
            raise FormulaError(f"{place} holds {name}, {self._about_special(special[0])}")

    def _about_special(self, token: int) -> str:
        if token == self.tokenizer.unk_token_id:
            return (
                "so the tokenizer cannot spell this word; for a translation model, make ids of words of the "
                "target language with tokenizer(text_target=words, add_special_tokens=False).input_ids"
            )
        return (
            "a special token, which is not text; make ids with "
            "tokenizer(words, add_special_tokens=False).input_ids, and without padding"
        )

    @cached_property
    def _size(self) -> int:
        return len(self.tokenizer)

    @cached_property
    def _special_ids(self) -> set[int]:
        if self.tokenizer is None:
            return set()
        from neurologic.models.tokenizers import special_ids  # imports transformers

        return special_ids(self.tokenizer)

    def _is_glued(self, ids: Ids) -> bool:
        """Return whether ids continue the word before them, instead of starting one."""
        word = self.tokenizer("a", add_special_tokens=False)["input_ids"]
        before, both = self._decoded(word), self._decoded([*word, *ids])
        added = both[len(before) :] if both.startswith(before) else " "
        return is_word_character(added[:1] or " ")

    def _decoded(self, ids: Sequence[int]) -> str:
        text = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return str(text)


def _about_glued_word(text: str, place: str) -> str:
    """Return the warning for ids without a space, as tokenizers of transformers 5 make them.

    These ignore `add_prefix_space=True` in a call.
    """
    return (
        f"{place}: these ids are {text!r} without a space before it, so they continue the word before them; "
        f'make ids of {" " + text!r}, or use match="word"'
    )
