"""`nl.from_force_words` and the stand-ins for Hugging Face's constraint classes."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

import neurologic as nl
from neurologic.errors import ContradictionError, FormulaError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.loading import LoadedModel
from tiny.models import tiny_model
from tiny.tokenizers import bert_like, gpt2_like, llama2_like, t5_like


def ids_of(formula: nl.Formula) -> list[Any]:
    return [phrase.ids for phrase in formula.phrases()]


# -- forms of ids ---------------------------------------------------------------------------------


def test_a_list_of_phrases_must_all_occur_and_a_list_of_lists_is_a_choice():
    formula = nl.from_force_words([[5, 6], [[7], [7, 8]]], bad_words_ids=[[9]])
    assert [clause.text for clause in nl.to_clauses(formula)] == [
        '"tokens 5 6"[match=tokens, ids=5 6]',
        '"token 7"[match=tokens, ids=7] | "tokens 7 8"[match=tokens, ids=7 8]',
        '!"token 9"[match=tokens, ids=9]',
    ]
    assert nl.parse(str(formula)) == formula


@pytest.mark.parametrize(
    "form",
    [
        [[5, 6], [7, 8]],
        ((5, 6), (7, 8)),
        [range(5, 7), range(7, 9)],
        np.array([[5, 6], [7, 8]]),
        [np.array([5, 6]), [np.int64(7), np.int64(8)]],
        torch.tensor([[5, 6], [7, 8]]),
        [torch.tensor([5, 6]), torch.tensor([7, 8])],
        [[torch.tensor(5), torch.tensor(6)], [7, 8]],
        hf.BatchEncoding({"input_ids": [[5, 6], [7, 8]]}),
        [hf.BatchEncoding({"input_ids": [5, 6]}), {"input_ids": [7, 8]}],
    ],
    ids=lambda form: type(form).__name__,
)
def test_ids_may_come_in_anything_that_holds_numbers(form):
    assert ids_of(nl.from_force_words(form)) == [(5, 6), (7, 8)]
    assert ids_of(nl.from_force_words(bad_words_ids=form)) == [(5, 6), (7, 8)]


def test_a_tensor_of_three_dimensions_is_choices():
    formula = nl.from_force_words(torch.tensor([[[5, 6], [7, 8]]]))
    assert formula == nl.from_force_words([[[5, 6], [7, 8]]]) == nl.DisjunctiveConstraint([[5, 6], [7, 8]])


def test_stand_ins_are_formulas_that_join_with_others():
    one, other = nl.PhrasalConstraint([5, 6]), nl.DisjunctiveConstraint([[7], torch.tensor([7, 8])])
    assert nl.from_force_words(constraints=[one, other]) == one & other
    assert nl.from_force_words([[5, 6], [[7], [7, 8]]]) == one & other
    assert str(nl.from_force_words(constraints=[one], bad_words_ids=[[9]]) & "dog").endswith(" & dog")
    assert nl.from_force_words(constraints=[nl.parse("dog | cat")]) == nl.parse("dog | cat")


def test_repeated_phrases_count_once():
    assert nl.from_force_words([[5], [5], [[6], [6]]]) == nl.PhrasalConstraint([5]) & nl.PhrasalConstraint(
        [6]
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "give force_words_ids, bad_words_ids or constraints"),
        ({"force_words_ids": []}, "force_words_ids is an empty list"),
        ({"force_words_ids": [[]]}, "force_words_ids[0] is an empty list"),
        ({"force_words_ids": [[5], [[6], []]]}, "force_words_ids[1][1] is an empty list"),
        ({"force_words_ids": [5, 6]}, "put another pair of brackets around it: force_words_ids=[[5, 6]]"),
        ({"force_words_ids": 5}, "force_words_ids: expected a list of token ids, found int"),
        ({"force_words_ids": [[5, [6]]]}, "force_words_ids[0] mixes ids and lists"),
        ({"force_words_ids": [[[[5]]]]}, "force_words_ids[0][0]: lists are nested one level too deep"),
        ({"force_words_ids": [[5, -100]]}, "force_words_ids[0]: token ids are numbers from 0 on, not -100"),
        ({"force_words_ids": [[5.0]]}, "force_words_ids[0]: token ids are whole numbers, not float (5.0)"),
        ({"force_words_ids": [[True]]}, "token ids are whole numbers, not bool (True)"),
        ({"force_words_ids": [[None]]}, "token ids are whole numbers, not NoneType"),
        ({"force_words_ids": "Sie"}, 'found the text "Sie"; words need no ids here'),
        ({"force_words_ids": ["Sie"]}, 'force_words_ids[0]: expected token ids, found the text "Sie"'),
        ({"force_words_ids": [["Sie"]]}, 'nl.phrase("Sie")'),
        ({"force_words_ids": [[5], "Sie"]}, "force_words_ids[1]: expected token ids"),
        ({"force_words_ids": nl.phrase("Sie")}, "found a formula; join formulas with &"),
        ({"bad_words_ids": []}, "bad_words_ids is an empty list"),
        ({"bad_words_ids": [5]}, "bad_words_ids=[[5]]"),
        ({"bad_words_ids": [[[5]]]}, "bad_words_ids[0]: lists are nested one level too deep"),
        ({"constraints": []}, "constraints is an empty list"),
        ({"constraints": nl.PhrasalConstraint([5])}, "constraints must be a list, as in [PhrasalConstraint"),
        ({"constraints": [[5]]}, "constraints[0]: expected PhrasalConstraint"),
        ({"force_words_ids": [[5]], "match": "word"}, 'match="word" looks for the text of the ids'),
        ({"force_words_ids": [[5]], "match": "words"}, "match must be word or substring or tokens"),
        ({"force_words_ids": [[5]], "case": "any"}, "case must be fold or exact"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(arguments, told):
    with pytest.raises(FormulaError) as caught:
        nl.from_force_words(**arguments)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("make_it", "told"),
    [
        (lambda: nl.PhrasalConstraint([]), "token_ids is an empty list"),
        (lambda: nl.PhrasalConstraint([[5]]), "token_ids: lists are nested one level too deep"),
        (lambda: nl.DisjunctiveConstraint([5]), "nested_token_ids=[[5]]"),
        (lambda: nl.DisjunctiveConstraint([[5], [-1]]), "nested_token_ids[1]: token ids are numbers from 0"),
    ],
)
def test_what_is_wrong_with_a_stand_in_is_told(make_it, told):
    with pytest.raises(FormulaError) as caught:
        make_it()
    assert told in str(caught.value)


def test_no_torch_is_imported():
    program = (
        "import sys, neurologic as nl; nl.from_force_words([[1]], constraints=[nl.PhrasalConstraint([2])]); "
        "import neurologic.integrations.sockeye, neurologic.integrations.fairseq; "
        "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# -- with a tokenizer -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gpt2() -> Any:
    return gpt2_like()


def test_reports_show_the_text(gpt2):
    ids = gpt2([" dog", " quick brown"], add_special_tokens=False).input_ids
    formula = nl.from_force_words(ids, tokenizer=gpt2)
    assert [phrase.text for phrase in formula.phrases()] == ["dog", "quick brown"]
    assert ids_of(formula) == [tuple(one) for one in ids]
    named = nl.from_force_words(constraints=[nl.PhrasalConstraint(ids[0])], tokenizer=gpt2)
    assert [phrase.text for phrase in named.phrases()] == ["dog"]
    choice = nl.from_force_words(constraints=[nl.DisjunctiveConstraint(ids)], tokenizer=gpt2)
    assert [phrase.text for phrase in choice.phrases()] == ["dog", "quick brown"]


def test_matching_on_the_text_takes_every_segmentation(gpt2):
    ids = gpt2([" Fox"], add_special_tokens=False)
    formula = nl.from_force_words(ids, tokenizer=gpt2, match="word")
    assert str(formula) == "Fox[case=exact]"
    assert nl.check(formula, "The Fox!")[0].satisfied
    assert not nl.check(formula, "The Foxes.")[0].satisfied
    assert not nl.check(formula, "The fox.")[0].satisfied
    assert str(nl.from_force_words(ids, tokenizer=gpt2, match="word", case="fold")) == "Fox"
    assert (
        str(nl.from_force_words(ids, tokenizer=gpt2, match="substring")) == "Fox[match=substring, case=exact]"
    )
    both = gpt2([" Fox", "Fox"], add_special_tokens=False).input_ids
    banned = nl.from_force_words(bad_words_ids=both, tokenizer=gpt2, match="word")
    assert str(banned) == "!Fox[case=exact]", "with and without a space it is the same text"


def test_ids_that_are_no_text_can_only_be_matched_as_tokens(gpt2):
    half = gpt2("東", add_special_tokens=False).input_ids[:1]
    blank = gpt2("\n", add_special_tokens=False).input_ids
    with pytest.raises(FormulaError, match="a part of a character"):
        nl.from_force_words([half], tokenizer=gpt2, match="word")
    with pytest.raises(FormulaError, match=r"bad_words_ids\[0\]: .* nothing that can be seen"):
        nl.from_force_words(bad_words_ids=[blank], tokenizer=gpt2, match="substring")
    assert ids_of(nl.from_force_words(bad_words_ids=[half, blank], tokenizer=gpt2)) == [(*half,), (*blank,)]


def test_ids_of_another_tokenizer_are_told(gpt2):
    with pytest.raises(
        FormulaError, match=r"force_words_ids\[0\] holds 50256, but this tokenizer's ids end at"
    ):
        nl.from_force_words([[50256]], tokenizer=gpt2)


def with_end(tokenizer: Any, *texts: str) -> list[list[int]]:
    ids = [tokenizer(text, add_special_tokens=False).input_ids for text in texts]
    return [[*one, tokenizer.eos_token_id] for one in ids]


def test_forgotten_add_special_tokens_is_explained():
    tokenizer = t5_like()
    ids = with_end(tokenizer, "dog", "fox")
    for arguments in ({"force_words_ids": ids}, {"bad_words_ids": ids}, {"force_words_ids": [ids]}):
        with pytest.raises(
            FormulaError, match=r"holds </s> \(1\), a special token.*add_special_tokens=False"
        ):
            nl.from_force_words(**arguments, tokenizer=tokenizer)


def test_padding_and_language_codes_are_explained():
    tokenizer = t5_like()
    tokenizer.add_special_tokens({"additional_special_tokens": ["fra_Latn"]})
    dog = tokenizer("dog", add_special_tokens=False).input_ids
    code = tokenizer.convert_tokens_to_ids("fra_Latn")
    with pytest.raises(FormulaError, match=r"force_words_ids\[0\] holds fra_Latn \(\d+\), a special token"):
        nl.from_force_words([[code, *dog]], tokenizer=tokenizer)
    with pytest.raises(FormulaError, match=r"holds <pad> \(0\), a special token.*without padding"):
        nl.from_force_words([[*dog, tokenizer.pad_token_id]], tokenizer=tokenizer)
    with pytest.raises(FormulaError, match=r"holds <unk> \(2\), so the tokenizer cannot spell.*text_target"):
        nl.from_force_words([[tokenizer.unk_token_id]], tokenizer=tokenizer)


def test_forbidding_special_tokens_alone_needs_no_clause():
    """A usual setting (`[[pad_token_id]]`); they are never written anyway."""
    tokenizer = t5_like()
    dog = tokenizer("dog", add_special_tokens=False).input_ids
    formula = nl.from_force_words(bad_words_ids=[[tokenizer.pad_token_id], dog], tokenizer=tokenizer)
    assert ids_of(formula) == [tuple(dog)]


def test_a_word_without_its_space_is_warned_of(gpt2):
    """transformers 5 ignores `add_prefix_space=True` in a tokenizer's call."""
    glued = gpt2("dog", add_special_tokens=False).input_ids
    spaced = gpt2(" dog", add_special_tokens=False).input_ids
    with pytest.warns(
        UserWarning, match=r"force_words_ids\[0\]: these ids are 'dog' without a space before it"
    ) as caught:
        nl.from_force_words([glued], tokenizer=gpt2)
    assert caught[0].filename == __file__, "it points to the caller's line"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nl.from_force_words([spaced, [glued, spaced]], bad_words_ids=[glued], tokenizer=gpt2)
        nl.from_force_words([glued], tokenizer=gpt2, match="word")
        nl.from_force_words([gpt2(", it", add_special_tokens=False).input_ids], tokenizer=gpt2)


@pytest.mark.parametrize("build", [t5_like, llama2_like, bert_like])
def test_tokenizers_that_bring_the_space_are_not_warned_of(build):
    tokenizer = build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        formula = nl.from_force_words(
            tokenizer(["dog"], add_special_tokens=False).input_ids, tokenizer=tokenizer
        )
    assert [phrase.text for phrase in formula.phrases()] == ["dog"]


# -- examples of the old documentation ------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny_gpt2(gpt2) -> ConstrainedModel:
    end = gpt2.eos_token_id
    model = tiny_model("GPT2LMHeadModel", gpt2, n_positions=128, eos_token_id=end, bos_token_id=end)
    return nl.wrap(model, gpt2)


@pytest.fixture(scope="module")
def tiny_t5() -> ConstrainedModel:
    tokenizer = t5_like()
    specials = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    return nl.wrap(tiny_model("T5ForConditionalGeneration", tokenizer, **specials), tokenizer)


@pytest.fixture(params=["tokens", "word"])
def match(request: pytest.FixtureRequest) -> Iterator[Any]:
    return request.param


def test_forcing_a_word_in_a_translation(tiny_t5, match):
    """The announcement's first example: the formal "Sie"."""
    tokenizer = tiny_t5.tokenizer
    force_words_ids = tokenizer(["Sie"], add_special_tokens=False).input_ids
    formula = nl.from_force_words(force_words_ids, tokenizer=tokenizer, match=match)
    result = tiny_t5.generate(
        "translate English to German: How old are you?", formula, num_beams=5, max_new_tokens=16
    )
    assert result.satisfied
    assert "Sie" in result.text


def test_a_constraint_object_in_a_translation(tiny_t5):
    ids = tiny_t5.tokenizer("Sie", add_special_tokens=False).input_ids
    result = tiny_t5.generate("How old are you?", nl.PhrasalConstraint(ids), num_beams=5, max_new_tokens=16)
    assert result.satisfied
    assert "Sie" in result.text


def test_a_word_and_one_of_several_for_a_batch_of_openings(tiny_gpt2, match):
    """The announcement's second example: "scared" and a form of "scream", for two openings."""
    tokenizer = tiny_gpt2.tokenizer
    forms = ["scream", "screams", "screaming", "screamed"]
    force_words_ids = [
        tokenizer([" scared"], add_special_tokens=False).input_ids,
        tokenizer([f" {form}" for form in forms], add_special_tokens=False).input_ids,
    ]
    formula = nl.from_force_words(force_words_ids, tokenizer=tokenizer, match=match)
    results = tiny_gpt2.generate(
        ["The soldiers", "The child"], formula, raw=True, num_beams=10, max_new_tokens=24
    )
    for result in results:
        assert result.satisfied
        assert "scared" in result.text
        assert any(form in result.text for form in forms)


def test_old_arguments_inside_hugging_faces_own_generate(tiny_gpt2, match):
    tokenizer = tiny_gpt2.tokenizer
    ids = tokenizer([" dog"], add_special_tokens=False).input_ids
    formula = nl.from_force_words(ids, tokenizer=tokenizer, match=match)
    inputs = tokenizer(["The quick"], return_tensors="pt")
    output = tiny_gpt2.model.generate(
        **inputs, custom_generate=nl.decoder(tokenizer, formula), num_beams=4, max_new_tokens=8
    )
    assert " dog" in tokenizer.decode(output[0])


def test_bad_words_are_not_written(tiny_gpt2, match):
    tokenizer = tiny_gpt2.tokenizer
    free = tiny_gpt2.generate("The child", None, raw=True, num_beams=2, max_new_tokens=8)
    # As tokens this forbids what was written; as text also every other spelling of it.
    banned = [[token] for token in dict.fromkeys(free.tokens) if tokenizer.decode([token]).strip().isalpha()]
    assert banned
    formula = nl.from_force_words(bad_words_ids=banned, tokenizer=tokenizer, match=match)
    result = tiny_gpt2.generate("The child", formula, raw=True, num_beams=2, max_new_tokens=8)
    assert result.satisfied
    if match == "tokens":
        assert not {token for (token,) in banned} & set(result.tokens)
    else:
        assert not any(nl.occurs(phrase, result.text, before="d") for phrase in formula.phrases())


def test_contradictions_are_told_in_text(tiny_gpt2):
    tokenizer = tiny_gpt2.tokenizer
    quick, brown = tokenizer([" quick brown", " brown"], add_special_tokens=False).input_ids
    formula = nl.from_force_words([quick], bad_words_ids=[brown], tokenizer=tokenizer)
    with pytest.raises(ContradictionError, match=r'"quick brown"\[.*\] is required, but contains brown'):
        tiny_gpt2.generate("x", formula)


# -- real models ----------------------------------------------------------------------------------


@pytest.mark.real_model
def test_the_default_model_forces_and_forbids(smollm2: LoadedModel, match):
    lm = ConstrainedModel(smollm2)
    forms = ["scream", "screams", "screaming", "screamed"]
    formula = nl.from_force_words(
        [
            lm.tokenizer([" scared"], add_special_tokens=False).input_ids,
            lm.tokenizer([f" {form}" for form in forms], add_special_tokens=False).input_ids,
        ],
        bad_words_ids=lm.tokenizer([" of", " to"], add_special_tokens=False).input_ids,
        tokenizer=lm.tokenizer,
        match=match,
    )
    for result in lm.generate(
        ["The soldiers", "The child"], formula, raw=True, num_beams=2, max_new_tokens=12
    ):
        assert result.satisfied
        assert nl.occurs("scared", result.text)
        assert any(nl.occurs(form, result.text) for form in forms)
        assert not nl.occurs("of", result.text)


@pytest.mark.real_model
def test_a_real_translation_model_takes_ids(marian: LoadedModel, match):
    lm = ConstrainedModel(marian)
    source = "The nurse helped the doctor."
    ids = lm.tokenizer(text_target=["infirmier", "infirmière"], add_special_tokens=False).input_ids
    formula = nl.from_force_words(ids[:1], bad_words_ids=ids[1:], tokenizer=lm.tokenizer, match=match)
    result = lm.generate(source, formula, num_beams=4, max_new_tokens=24)
    assert result.satisfied
    assert nl.occurs("infirmier", result.text)
    with pytest.raises(FormulaError, match=r"holds </s> \(0\), a special token"):
        nl.from_force_words(lm.tokenizer(text_target=["infirmier"]), tokenizer=lm.tokenizer)
