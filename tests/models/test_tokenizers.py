"""What tokens add to a text, against the tokenizers' own decoding."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders
from transformers import PreTrainedTokenizerFast

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.tokenizers import check_vocabulary, decode_text, vocabulary_of
from tiny.tokenizers import TOKENIZERS, gpt2_like, llama2_like, t5_like


def build(tokenizer: Any, *, starts_text: bool = False, size: int | None = None) -> Vocabulary:
    end = next((i for i in (tokenizer.eos_token_id, tokenizer.sep_token_id) if i is not None), 0)
    return vocabulary_of(tokenizer, size or len(tokenizer), end_ids={end}, starts_text=starts_text)


def fuzz(tokenizer: Any, *, starts_text: bool, sequences: int = 3000) -> None:
    vocabulary = build(tokenizer, starts_text=starts_text)
    check_vocabulary(tokenizer, vocabulary, starts_text=starts_text, sequences=sequences, seed=1)


@pytest.fixture(scope="module", params=sorted(TOKENIZERS))
def tiny(request: pytest.FixtureRequest) -> Any:
    return TOKENIZERS[request.param]()


@pytest.mark.parametrize("starts_text", [False, True])
def test_tiny_tokenizers_decode_as_expected(tiny: Any, starts_text: bool) -> None:
    fuzz(tiny, starts_text=starts_text)


@pytest.mark.parametrize("starts_text", [False, True])
def test_smollm2_decodes_as_expected(smollm2_tokenizer: Any, starts_text: bool) -> None:
    fuzz(smollm2_tokenizer, starts_text=starts_text)


def test_marian_decodes_as_expected(marian_tokenizer: Any) -> None:
    fuzz(marian_tokenizer, starts_text=True)


@pytest.mark.parametrize("starts_text", [False, True])
def test_bert_decodes_as_expected(bert_tokenizer: Any, starts_text: bool) -> None:
    fuzz(bert_tokenizer, starts_text=starts_text)


def test_byte_level_pieces(smollm2_tokenizer: Any) -> None:
    vocabulary = build(smollm2_tokenizer)
    (token,) = smollm2_tokenizer(" dog")["input_ids"]
    assert vocabulary.pieces[token] == b" dog"
    assert vocabulary.first_pieces is None


def test_special_tokens_write_nothing(smollm2_tokenizer: Any) -> None:
    vocabulary = build(smollm2_tokenizer)
    for marker in ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<jupyter_code>"):
        assert vocabulary.pieces[smollm2_tokenizer.convert_tokens_to_ids(marker)] is None


def test_ids_beyond_the_tokenizer_write_nothing() -> None:
    tokenizer = gpt2_like()
    vocabulary = build(tokenizer, size=len(tokenizer) + 9)
    assert len(vocabulary) == len(tokenizer) + 9
    assert vocabulary.pieces[-9:] == (None,) * 9


def test_added_tokens_are_literal_but_markers_are_not_text() -> None:
    tokenizer = gpt2_like()
    vocabulary = build(tokenizer)
    assert vocabulary.pieces[tokenizer.convert_tokens_to_ids("<my tag>")] == b"<my tag>"
    assert vocabulary.pieces[tokenizer.convert_tokens_to_ids("<|marker|>")] is None


def test_byte_fallback_tokens_add_one_byte() -> None:
    tokenizer = llama2_like()
    vocabulary = build(tokenizer)
    assert vocabulary.pieces[tokenizer.convert_tokens_to_ids("<0xE2>")] == b"\xe2"


def test_a_text_starts_without_the_implied_space() -> None:
    tokenizer = t5_like()
    vocabulary = build(tokenizer, starts_text=True)
    token = next(i for i, piece in enumerate(vocabulary.pieces) if piece and piece.startswith(b" s"))
    assert vocabulary.first_pieces is not None
    assert vocabulary.first_pieces[token] == vocabulary.pieces[token][1:]  # type: ignore[index]
    assert build(tokenizer, starts_text=False).first_pieces is None


def test_word_piece_joins_and_cleans_up(bert_tokenizer: Any) -> None:
    vocabulary = build(bert_tokenizer)

    def piece(token: str) -> bytes | None:
        return vocabulary.pieces[bert_tokenizer.convert_tokens_to_ids(token)]

    assert piece("dog") == b" dog"
    assert piece("##ing") == b"ing"
    assert piece(".") == b"."
    assert piece("[unused5]") is None


def test_every_tokenizer_spells_what_it_segments(tiny: Any) -> None:
    vocabulary = build(tiny)
    for text in (" the", " dog", "s", ".", " dogs", "dog", " a dog"):
        tokens = vocabulary.segment(text)
        assert not tokens or vocabulary.decode(tokens) == text.encode(), (text, tokens)


def test_segmentation_of_continuations(smollm2_tokenizer: Any, bert_tokenizer: Any) -> None:
    for tokenizer in (smollm2_tokenizer, bert_tokenizer):
        vocabulary = build(tokenizer)
        for text in (" dog", "dog", "ing", " ice cream", "!", "s"):
            assert vocabulary.decode(vocabulary.segment(text)) == text.encode()


def test_segmentation_is_the_target_sides_for_marian(marian_tokenizer: Any) -> None:
    vocabulary = build(marian_tokenizer, starts_text=True)
    tokens = vocabulary.segment(" médecin")
    assert marian_tokenizer.convert_ids_to_tokens(list(tokens)) == ["▁médecin"]
    assert b"".join(vocabulary.pieces[token] or b"" for token in vocabulary.segment("ment")) == b"ment"


def test_segmentation_ignores_case_where_the_vocabulary_has_none(bert_tokenizer: Any) -> None:
    vocabulary = build(bert_tokenizer)
    assert vocabulary.decode(vocabulary.segment(" Dog")) == b" dog"
    assert vocabulary.decode(vocabulary.segment(" C++")) == b" c++"


def test_segmentation_says_what_cannot_be_spelled() -> None:
    vocabulary = build(TOKENIZERS["words"]())
    assert vocabulary.segment(" elephant") == ()


def test_decode_text_cuts_the_prompt_off() -> None:
    tokenizer = llama2_like()
    the, dog, s = (tokenizer.convert_tokens_to_ids(token) for token in ("▁the", "▁dog", "s"))
    assert decode_text(tokenizer, [dog, s], prompt_ids=[tokenizer.bos_token_id, the]) == " dogs"
    assert decode_text(tokenizer, [dog, s], starts_text=True) == "dogs"


def test_a_wrong_vocabulary_is_noticed() -> None:
    tokenizer = gpt2_like()
    vocabulary = build(tokenizer)
    shifted = Vocabulary(
        pieces=(*vocabulary.pieces[1:], b"?"), end_ids=vocabulary.end_ids, segment=vocabulary.segment
    )
    with pytest.raises(ModelError, match="decodes tokens"):
        check_vocabulary(tokenizer, shifted, starts_text=False)


def test_decoders_over_several_tokens_are_refused() -> None:
    backend: Tokenizer = gpt2_like().backend_tokenizer
    backend.decoder = decoders.CTC()
    with pytest.raises(ModelError, match="CTC"):
        build(PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|endoftext|>"))


def test_building_a_vocabulary_takes_no_time(smollm2_tokenizer: Any) -> None:
    start = time.perf_counter()
    build(smollm2_tokenizer)
    assert time.perf_counter() - start < 1.5  # 0.1 s on a quiet machine
