"""The matcher agrees with `occurs`, the specification, on every text and every segmentation."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import assume, example, given
from hypothesis import strategies as st

from neurologic.logic.formula import Phrase
from neurologic.logic.occurrence import occurs
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import Vocabulary
from random_cases import cases
from toys import toy_vocabulary

# Letters that make phrases and near misses, spaces, punctuation, numbers with separators, and what Unicode
# has in store: characters that fold to two, combining marks that compose and reorder, scripts without spaces,
# an emoji with a mark, jamo, all kinds of apostrophes.
CHARACTERS = (
    "abcAB  \n-'._11.,2"
    + "sSßẞéeE\u0301\u0323iİ\u0307ıKK"
    + "中が\u3099か"
    + "กา่"
    + "가\u1100\u1161\u11a8ㄱ"
    + "❤\ufe0f’‘ʼŉ٣٫"
)
EVERY_BYTE = toy_vocabulary(*(bytes([byte]) for byte in range(256)))


def phrases() -> st.SearchStrategy[Phrase]:
    texts = st.text(CHARACTERS, min_size=1, max_size=4).filter(lambda text: text.strip() and _is_phrase(text))
    return st.builds(
        Phrase,
        texts,
        match=st.sampled_from(["word", "word", "substring"]),
        case=st.sampled_from(["fold", "exact"]),
        times=st.sampled_from([1, 1, 2, 3]),
        number=st.sampled_from(["whole", "whole", "part"]),
    )


def _is_phrase(text: str) -> bool:
    try:
        Phrase(text)
    except ValueError:
        return False
    return True


def read(matcher: Matcher, tokens: list[int], before: str = "") -> tuple[int, int] | None:
    """The state and phrases found after tokens; None if the text cannot be written."""
    state, found = matcher.start(before), 0
    for token in tokens:
        state, more = matcher.step(state, token)
        if state == DEAD:
            return None
        found |= more
    return state, found


def byte_tokens(text: str) -> list[int]:
    return [byte + 1 for byte in text.encode()]


@cases(1000)
@given(
    st.lists(phrases(), min_size=1, max_size=4),
    st.text(CHARACTERS, max_size=8),
    st.sampled_from(["", "a", ".", "1", "1.", "1’"]),
)
@example([Phrase("\N{COMBINING ACUTE ACCENT}", match="substring")], "\u00e9\N{COMBINING DOT BELOW}", "")
def test_agrees_with_the_specification_after_every_prefix(
    wanted: list[Phrase], text: str, before: str
) -> None:
    matcher = Matcher(wanted, EVERY_BYTE)
    for end in range(len(text) + 1):
        after = read(matcher, byte_tokens(text[:end]), before)
        assume(after is not None)  # otherwise the text leaves NFC where it matters: never written
        assert after is not None
        state, found = after
        present = found | matcher.provisional(state)
        for number, phrase in enumerate(wanted):
            expected = occurs(phrase, text[:end], before=before)
            assert bool(present >> number & 1) == expected, (phrase, text[:end])


@cases(400)
@given(
    st.lists(phrases(), min_size=1, max_size=3),
    st.text(CHARACTERS, max_size=6),
    st.text(CHARACTERS, max_size=3),
)
@example([Phrase("é", match="substring")], "é", "\u0323")  # together "ẹ" and an acute, in NFC
def test_what_is_found_is_never_lost(wanted: list[Phrase], text: str, more: str) -> None:
    """A phrase that is found, not just provisionally, is in every longer text that can be written."""
    matcher = Matcher(wanted, EVERY_BYTE)
    after = read(matcher, byte_tokens(text))
    assume(after is not None and read(matcher, byte_tokens(text + more)) is not None)
    assert after is not None
    for number, phrase in enumerate(wanted):
        if after[1] >> number & 1:
            assert occurs(phrase, text + more)


@cases(200)
@given(st.lists(phrases(), min_size=1, max_size=3), st.text(CHARACTERS, max_size=8), st.data())
def test_segmentation_does_not_matter(wanted: list[Phrase], text: str, data: st.DataObject) -> None:
    """Any way of cutting the bytes into tokens gives the same answer as byte by byte."""
    raw = text.encode()
    pieces: list[bytes] = []
    start = 0
    while start < len(raw):
        end = data.draw(st.integers(start + 1, len(raw)))
        pieces.append(raw[start:end])
        start = end
    vocabulary = toy_vocabulary(*pieces)
    whole = read(Matcher(wanted, EVERY_BYTE), byte_tokens(text))
    cut_matcher = Matcher(wanted, vocabulary)
    cut = read(cut_matcher, list(range(1, len(pieces) + 1)))
    assert (whole is None) == (cut is None)
    if whole is not None and cut is not None:
        assert whole[1] == cut[1]


def test_all_short_phrases_agree_on_all_short_texts_with_numbers() -> None:
    characters = "1.a "
    pieces = [first + second for first in ("", *characters) for second in characters]
    texts = [text for length in range(1, 5) for text in map("".join, product(characters, repeat=length))]
    wanted = [
        Phrase(text, match=match, number=number)
        for text in texts
        if text == text.strip() and len(text) < 4
        for match, number in (("word", "whole"), ("word", "part"), ("substring", "whole"))
    ]
    matcher = Matcher(wanted, toy_vocabulary(*pieces))
    for before, text in product(("", "1", "1."), texts):
        expected = sum(1 << n for n, phrase in enumerate(wanted) if occurs(phrase, text, before=before))
        for cut in product((False, True), repeat=len(text) - 1):
            ends = [end for end, is_cut in enumerate((*cut, True), 1) if is_cut]
            parts = [text[start:end] for start, end in pairwise((0, *ends))]
            if max(map(len, parts)) < 3:
                after = read(matcher, [pieces.index(part) + 1 for part in parts], before)
                assert after is not None
                assert after[1] | matcher.provisional(after[0]) == expected, (parts, before)


def test_a_number_is_provisional_until_it_cannot_go_on() -> None:
    matcher = Matcher([Phrase("450")], toy_vocabulary(" 450", ".", "5", " ", ".5", ". "))
    state, found = matcher.step(matcher.start(), 1)
    assert (found, matcher.provisional(state)) == (0, 1)
    separated, found = matcher.step(state, 2)
    assert (found, matcher.provisional(separated)) == (0, 1)
    longer, found = matcher.step(separated, 3)
    assert (found, matcher.provisional(longer)) == (0, 0)
    assert matcher.step(separated, 4)[1] == 1
    longer, found = matcher.step(state, 5)
    assert (found, matcher.provisional(longer)) == (0, 0)
    assert matcher.step(state, 6)[1] == 1


def test_texts_with_numbers_share_states_where_no_phrase_has_digits() -> None:
    matcher = Matcher([Phrase("dog")], EVERY_BYTE)
    assert read(matcher, byte_tokens("1.")) == read(matcher, byte_tokens("a."))


def test_only_text_that_is_not_in_nfc_is_refused_and_only_where_it_matters() -> None:
    decomposed = byte_tokens("cafe\u0301")
    assert read(Matcher([Phrase("café")], EVERY_BYTE), decomposed) is None
    assert read(Matcher([Phrase("dog")], EVERY_BYTE), decomposed) is not None


def test_bytes_that_are_not_utf8_are_refused() -> None:
    matcher = Matcher([Phrase("dog")], EVERY_BYTE)
    assert read(matcher, [0xFF + 1]) is None
    assert read(matcher, [0xE2 + 1, ord("a") + 1]) is None


def test_a_text_cannot_end_inside_a_character() -> None:
    matcher = Matcher([Phrase("dog")], EVERY_BYTE)
    half = read(matcher, [0xC3 + 1])
    assert half is not None
    assert not matcher.may_end(half[0])


def test_a_whole_word_is_provisional_until_the_next_character_is_known() -> None:
    vocabulary = toy_vocabulary(" bean", "s", " ")
    matcher = Matcher([Phrase("bean")], vocabulary)
    state, found = matcher.step(matcher.start(), 1)
    assert (found, matcher.provisional(state)) == (0, 1)
    longer, found = matcher.step(state, 2)
    assert (found, matcher.provisional(longer)) == (0, 0)
    assert matcher.step(state, 3)[1] == 1


def test_first_token_may_be_decoded_differently() -> None:
    vocabulary = Vocabulary(
        pieces=(None, b" dog", b" house"),
        first_pieces=(None, b"dog", b"house"),
        end_ids=frozenset({0}),
        segment=lambda text: (),
    )
    matcher = Matcher([Phrase("dog")], vocabulary)

    def finds_dog(tokens: list[int]) -> bool:
        after = read(matcher, tokens, before="hot")
        assert after is not None
        return bool(after[1] | matcher.provisional(after[0]))

    assert not finds_dog([1])  # "hotdog": the first token brings no space
    assert finds_dog([2, 1])


def test_tokens_mode_matches_ids_only() -> None:
    vocabulary = toy_vocabulary(" but", "ter", " butter")
    phrase = Phrase("butter", match="tokens", ids=(1, 2))
    matcher = Matcher([phrase], vocabulary, wanted=1)
    assert read(matcher, [1, 2])[1] == 1  # type: ignore[index]
    assert read(matcher, [3])[1] == 0  # type: ignore[index]
    assert read(matcher, [1, 1, 2])[1] == 1  # type: ignore[index]


def test_a_counted_phrase_occurs_with_its_last_place() -> None:
    matcher = Matcher([Phrase("a b", times=2)], toy_vocabulary("a b", " a b", " a"))
    state, found = matcher.step(matcher.start(), 1)
    assert (found, matcher.provisional(state)) == (0, 0)
    state, found = matcher.step(state, 2)
    assert (found, matcher.provisional(state)) == (0, 1)
    assert matcher.step(state, 3)[1] == 1


def test_a_phrase_that_has_occurred_is_not_counted_on() -> None:
    matcher = Matcher([Phrase("a", times=2)], toy_vocabulary(" a", "."))
    twice, often = read(matcher, [1, 1, 2]), read(matcher, [1, 1, 1, 1, 2])
    assert twice == often
    assert twice is not None
    assert matcher.counted(twice[0]) == ((0, 2),)


def test_one_token_may_hold_several_places() -> None:
    matcher = Matcher([Phrase("ha", match="substring", times=3)], toy_vocabulary("haha"))
    state, found = matcher.step(matcher.start(), 1)
    assert not found
    assert matcher.step(state, 1)[1] == 1


def test_tokens_are_counted_too() -> None:
    matcher = Matcher([Phrase("x", "tokens", ids=(2, 2), times=2)], EVERY_BYTE)
    assert [read(matcher, tokens)[1] for tokens in ([2, 2], [2, 2, 2], [2, 2, 1, 2, 2])] == [0, 1, 1]


def test_matched_fraction_counts_words_and_usual_pieces() -> None:
    vocabulary = toy_vocabulary(" apple", " tree", " a", "pp", "le", " fr", "is", "bee")
    matcher = Matcher([Phrase("apple tree"), Phrase("frisbee")], vocabulary, wanted=3)

    def progress(*tokens: int) -> dict[int, float]:
        after = read(matcher, list(tokens))
        assert after is not None
        return dict(matcher.progress(after[0]))

    assert progress(1) == {0: 0.5}  # the paper's example: "apple" is half of "apple tree"
    assert progress(3) == {}  # a lone first letter earns nothing
    assert progress(6) == {1: 1 / 3}
    assert progress(6, 7) == {1: 2 / 3}
