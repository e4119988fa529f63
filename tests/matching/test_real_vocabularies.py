"""The matcher on the vocabularies of real tokenizers, against regular expressions.

Texts are cut at random into tokens of a real vocabulary, and after every token the matcher must say what the
text so far says. What the text says is worked out here a second time, from the words of the definition and
with regular expressions, so that `occurs` is judged as well. Phrases and texts are near misses of each other
in all the ways that tokenizers and Unicode offer. Texts that a vocabulary cannot spell are passed over.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from neurologic.logic.formula import Phrase
from neurologic.logic.occurrence import occurs
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.loading import LoadedModel
from neurologic.models.tokenizers import decode_text, vocabulary_of


def listed(*lines: str) -> list[str]:
    return "|".join(lines).split("|")


PHRASES = listed(
    "dog|dogs|Dog|DOG|hot dog|hot-dog|dog's|'s|s|do|g|og|dog_2|2|the dog|dog.|ice cream|ice|cream|ice-cream",
    "not|can not|don't|t|10|1|-|café|cafés|cafe|é|e|naïve|straße|strasse|STRASSE|ss|fish|istanbul",
    "C++|c|+|C#|中文|狗|iPhone|привет|Привет|🐶|❤️|หมา|が|か|강아지",
    "8%|3.8%|3.8|3|8|450|12,450.75|12,450|75|14:05|05|14|3.|.8|,|5's|$3|12'450|don’t|dog’s",
)
WORDS = listed(
    "dog|dogs|Dog|DOG|dog's|Dog’s|dogma|hotdog|hot dog|hot-dog|dog_2|2|do|g|ice|cream|ice cream|icecream",
    "ice-cream|Ice\nCream|ice  cream|hot \n\n dog|the\t dog|creamy",
    "not|can not|cannot|don't|don’t|1|10|100|10th|the|The dog|a|s",
    "café|CAFÉ|cafés|cafe|cafe\u0301|naïve|naive|Straße|STRASSE|straßen|STRAẞE|glass|ﬁsh|fish|İstanbul|istanbul",
    "ISTANBUL|C++|c|C|C#|c+|中文|中|文|狗|我的iPhone很好|iPhone|IPHONE|iPhones|привет|Привет|ПРИВЕТ|приветы|🐶|🐶🐶|👍🏽",
    "❤️|❤|หมา|หมาป่า|が|か\u3099|か|강아지|강아|donʼt|don‘t",
    "8%|3.8%|13.8|3.85|3.8.1|450|12,450.75|12'450|12’450|450,000|14:05:33|14:05|05|75|3.|.8|$3.50|3|8|8th|v3.8",
)
JOINTS = listed(" | | | |||\n|  | \n|\t|-|, |. |.|,|:|'|’|_|\n\n|\u00a0|/")

TEXTS_PER_KIND = 4000
SEQUENCES_PER_KIND = 2000
TEXTS_PER_MATCHER = 15


# -- the oracle: the definition of an occurrence as a regular expression ---------------------------

# Scripts without spaces between words, by the names of their characters.
_SPACELESS = re.compile(
    "CJK|KANGXI|(HALFWIDTH |COMBINING )?KATAKANA|HIRAGANA|HENTAIGANA|BOPOMOFO|HANGZHOU|THAI|LAO|MYANMAR|KHMER"
    "|HANGUL (SINGLE|DOUBLE) DOT|(VERTICAL )?IDEOGRAPHIC (ITERATION|CLOSING|NUMBER)"
)


@cache
def word_character() -> re.Pattern[str]:
    """Letters, marks, numbers and the underscore, but no script that has no spaces, and no apostrophe."""
    ranges: list[list[int]] = []
    for code in range(0x110000):
        character = chr(code)
        if character != "_" and unicodedata.category(character)[0] not in "LMN":
            continue
        if character == "ʼ":
            continue
        if code > 0x0DFF and _SPACELESS.match(unicodedata.name(character, "")):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return re.compile("[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges) + "]")


def comparable(text: str, case: str) -> str:
    text = unicodedata.normalize("NFC", text)
    return text if case == "exact" else re.sub("[‘’ʼ]", "'", text.casefold())


@cache
def expression(phrase: Phrase) -> tuple[re.Pattern[str], bool, bool]:
    """Finds every place of a phrase; and whether the phrase needs a boundary left of it, right of it."""
    text = comparable(phrase.text, phrase.case)
    body = r"\s+".join(re.escape(word) for word in re.split(r"\s+", text))
    whole = phrase.match == "word"
    edges = (whole and bool(word_character().match(character)) for character in (text[0], text[-1]))
    return re.compile(f"(?=({body}))"), *edges


# The inside of a number: after its first digit, before its last one. Of the scripts of these texts, that is.
_INSIDE_NUMBER = re.compile(
    r"(?<=[0-9])(?=[0-9])|(?<=[0-9])(?=[.,:'‘’ʼ][0-9])|(?<=[0-9][.,:'‘’ʼ])(?=[0-9])",
)
_NUMBER_FIRST, _NUMBER_LAST = re.compile(r"[.,:'‘’ʼ]?[0-9]"), re.compile(r"[0-9][.,:'‘’ʼ]?$")


def cuts_number(phrase: Phrase, text: str, start: int, end: int) -> bool:
    if phrase.match != "word" or phrase.number == "part":
        return False
    cut_first = _NUMBER_FIRST.match(phrase.text) and _INSIDE_NUMBER.match(text, start)
    return bool(cut_first or (_NUMBER_LAST.search(phrase.text) and _INSIDE_NUMBER.match(text, end)))


def occurs_by_expression(phrase: Phrase, text: str, before: str) -> bool:
    """Whether a phrase occurs in a text that is comparable already."""
    places, left, right = expression(phrase)
    # A search from a position on: nothing is found in `before`, but it may deny a boundary.
    for place in places.finditer(before + text, len(before)):
        start, end = place.span(1)
        cut_left = left and start and word_character().match(place.string, start - 1)
        cut_right = right and word_character().match(place.string, end)
        if not cut_left and not cut_right and not cuts_number(phrase, place.string, start, end):
            return True
    return False


def phrases_in(text: str, phrases: Sequence[Phrase], before: str = "") -> int:
    """The bit set of the phrases that occur in `text`, which `before` precedes."""
    compared = {case: comparable(text, case) for case in ("fold", "exact")}
    return sum(
        1 << number
        for number, phrase in enumerate(phrases)
        if occurs_by_expression(phrase, compared[phrase.case], before)
    )


# -- random texts in random tokens -----------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A tokenizer with its vocabulary, and a prompt where the text continues one."""

    tokenizer: Any
    vocabulary: Vocabulary
    starts_text: bool
    prompt: TokenIds


KINDS = {
    "byte-level BPE": ("smollm2_tokenizer", False),
    "SentencePiece": ("marian_tokenizer", True),
    "WordPiece inside a text": ("bert_tokenizer", False),
    "WordPiece from the start": ("bert_tokenizer", True),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    fixture, starts_text = KINDS[request.param]
    tokenizer = request.getfixturevalue(fixture)
    end = tokenizer.sep_token_id if tokenizer.eos_token_id is None else tokenizer.eos_token_id
    vocabulary = vocabulary_of(tokenizer, len(tokenizer), end_ids={end}, starts_text=starts_text)
    prompt = () if starts_text else tuple(tokenizer("the", add_special_tokens=False)["input_ids"])
    return Kind(tokenizer, vocabulary, starts_text, prompt)


class Cutter:
    """Cuts texts into tokens of a vocabulary, every way of cutting being possible."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._inside = _tokens_by_piece(vocabulary.pieces)
        self._first = _tokens_by_piece(vocabulary.first_pieces or vocabulary.pieces)
        self._vocabulary = vocabulary

    def cut(self, text: str, random_: random.Random) -> TokenIds | None:
        """A random walk over the tokens that continue the text; None if no tokens spell it."""
        data = text.encode()
        reachable = [False] * len(data) + [True]  # from which positions the end can be reached
        for start in range(len(data) - 1, 0, -1):
            reachable[start] = any(reachable[end] for end, _ in self._pieces(data, start))
        tokens: list[int] = []
        done = 0
        while done < len(data):
            ways = [(end, ids) for end, ids in self._pieces(data, done) if reachable[end]]
            if not ways:
                return None
            done, ids = random_.choice(ways)
            tokens.append(random_.choice(ids))
        return tuple(tokens)

    def _pieces(self, data: bytes, start: int) -> Iterator[tuple[int, list[int]]]:
        table = self._inside if start else self._first
        for end in range(start + 1, min(len(data), start + self._vocabulary.table.longest) + 1):
            if data[start:end] in table:
                yield end, table[data[start:end]]


def _tokens_by_piece(pieces: Sequence[bytes | None]) -> dict[bytes, list[int]]:
    table: dict[bytes, list[int]] = {}
    for token, piece in enumerate(pieces):
        if piece:
            table.setdefault(piece, []).append(token)
    return table


def random_text(random_: random.Random) -> str:
    text = random_.choice(("", " "))
    for _ in range(random_.randint(1, 6)):
        text += random_.choice(WORDS) + random_.choice(JOINTS)
    return text if random_.random() < 0.5 else text.rstrip()


def spelled(text: str, cutter: Cutter, random_: random.Random) -> TokenIds | None:
    """The text in random tokens, or the nearest text that a vocabulary without capitals or accents has."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    # WordPiece writes a space before every word, and none before most marks.
    spaced = re.sub(r"(?<=\W)(?=\w)", " ", " ".join(plain.split()))
    for written in (
        text,
        text.lower(),
        plain,
        spaced,
        re.sub(" +", " ", f" {spaced}"),
        re.sub(" +", " ", spaced),
    ):
        tokens = cutter.cut(written, random_)
        if tokens:
            return tokens
    return None


def random_phrases(random_: random.Random, count: int) -> list[Phrase]:
    phrases = [_random_phrase(random_.choice(PHRASES), random_) for _ in range(count)]
    return list(dict.fromkeys(phrases))


def _random_phrase(text: str, random_: random.Random) -> Phrase:
    match = random_.choice(("word", "word", "substring"))
    number = random_.choice(("whole", "whole", "part"))
    return Phrase(text, match=match, case=random_.choice(("fold", "exact")), number=number)


# -- the comparison --------------------------------------------------------------------------------


def follow(matcher: Matcher, tokens: TokenIds, before: str = "") -> int | None:
    """Read tokens and compare with the oracle after each; the phrases present at the end, None if refused."""
    vocabulary = matcher.vocabulary
    state, found, written, present = matcher.start(before), 0, b"", None
    for token in tokens:
        pieces = vocabulary.pieces if written else vocabulary.first_pieces or vocabulary.pieces
        written += pieces[token] or b""
        state, more = matcher.step(state, token)
        if state == DEAD:
            assert not is_continuable(written), written
            return None
        found |= more
        try:
            text = written.decode()
        except UnicodeDecodeError:
            present = None  # inside a character: no text yet
            assert not matcher.may_end(state)
            continue
        present = found | matcher.provisional(state)
        expected = phrases_in(text, matcher.phrases, before)
        assert present == expected, (text, differing(matcher, present ^ expected))
        assert matcher.may_end(state)
    return present


def is_continuable(data: bytes) -> bool:
    """Whether bytes are the beginning of a text in NFC."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        text = data[: error.start].decode()
    return unicodedata.is_normalized("NFC", text)


def differing(matcher: Matcher, mask: int) -> list[Phrase]:
    return [phrase for number, phrase in enumerate(matcher.phrases) if mask >> number & 1]


def by_specification(text: str, phrases: Sequence[Phrase], before: str = "") -> int:
    return sum(1 << number for number, phrase in enumerate(phrases) if occurs(phrase, text, before=before))


def random_cases(kind: Kind, random_: random.Random, texts: int) -> Iterator[tuple[Matcher, TokenIds]]:
    """Texts that the vocabulary can spell, in random tokens, with a matcher of a dozen phrases."""
    cutter = Cutter(kind.vocabulary)
    for number in range(texts):
        if number % TEXTS_PER_MATCHER == 0:
            phrases = random_phrases(random_, 11)
            matcher = Matcher(phrases, kind.vocabulary)
        tokens = spelled(random_text(random_), cutter, random_)
        if tokens is not None:
            yield matcher, tokens


def test_every_segmentation_of_a_text_says_what_the_text_says(kind: Kind) -> None:
    random_ = random.Random(2021)
    compared = hits = 0
    for matcher, tokens in random_cases(kind, random_, TEXTS_PER_KIND):
        before = "" if kind.starts_text else random_.choice(("", "", "a", ".", "犬", "_", "3", "3.", "12,"))
        present = follow(matcher, tokens, before)
        if present is None:
            continue
        text = kind.vocabulary.decode(tokens).decode()
        assert by_specification(text, matcher.phrases, before) == present, text
        compared += 1
        hits += present.bit_count()
    assert compared > TEXTS_PER_KIND / 2  # texts that cannot be spelled, or are not in NFC, are not most
    assert hits > compared / 2  # and nothing is not compared with nothing


def test_random_tokens_say_what_their_text_says(kind: Kind) -> None:
    random_ = random.Random(2022)
    writable = [token for token, piece in enumerate(kind.vocabulary.pieces) if piece]
    compared = hits = 0
    for _ in range(SEQUENCES_PER_KIND):
        tokens = tuple(random_.choices(writable, k=random_.randint(1, 8)))
        text = kind.vocabulary.decode(tokens).decode(errors="ignore")
        phrases = [phrase for _ in range(5) if (phrase := phrase_from(text, random_)) is not None]
        present = follow(Matcher(phrases, kind.vocabulary), tokens)
        if present is None:
            continue
        assert by_specification(text, phrases) == present, text
        compared += 1
        hits += present != 0
    assert compared > SEQUENCES_PER_KIND / 2
    assert hits > compared / 2


def phrase_from(text: str, random_: random.Random) -> Phrase | None:
    """A phrase that is in the text, or nearly: a word or any part of it, perhaps in other capitals."""
    if not text.strip():
        return None
    start = random_.randrange(len(text))
    part = random_.choice((text[start : start + random_.randint(1, 8)], random_.choice(text.split())))
    part = random_.choice((str, str, str.upper, str.lower, str.title))(part)
    try:
        return _random_phrase(part, random_)
    except ValueError:
        return None  # nothing in it can be seen


def test_the_tokenizers_own_decoding_gives_the_same_verdicts(kind: Kind) -> None:
    random_ = random.Random(2023)
    compared = 0
    for matcher, tokens in random_cases(kind, random_, TEXTS_PER_KIND // 3):
        present = follow(matcher, tokens)
        if present is None:
            continue
        decoded = decode_text(kind.tokenizer, tokens, prompt_ids=kind.prompt, starts_text=kind.starts_text)
        assert phrases_in(decoded, matcher.phrases) == present, (decoded, tokens)
        assert by_specification(decoded, matcher.phrases) == present, (decoded, tokens)
        compared += 1
    assert compared > TEXTS_PER_KIND / 6


@pytest.mark.real_model
@pytest.mark.parametrize("name", ["smollm2", "marian"])
def test_a_loaded_model_decodes_to_the_same_verdicts(name: str, request: pytest.FixtureRequest) -> None:
    loaded: LoadedModel = request.getfixturevalue(name)
    prompt = loaded.encode("Say something.")
    kind = Kind(loaded.tokenizer, loaded.vocabulary, loaded.is_encoder_decoder, prompt.ids)
    (end, *_) = sorted(loaded.end_ids)
    compared = 0
    for matcher, tokens in random_cases(kind, random.Random(2024), 600):
        present = follow(matcher, tokens)
        if present is None:
            continue
        decoded = loaded.decode((*tokens, end, *tokens), prompt)  # nothing after the end token counts
        assert phrases_in(decoded, matcher.phrases) == present, (decoded, tokens)
        compared += 1
    assert compared > 300
