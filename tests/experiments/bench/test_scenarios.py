"""What the scenarios consist of."""

from __future__ import annotations

import pytest

from neurologic.experiments.bench.inputs import CONCEPTS, Deck, common_words, concept_words, forbidden_words
from neurologic.experiments.bench.scenarios import SCENARIOS, glossary, workloads
from neurologic.experiments.bench.scenarios.clause_sweep import ALL_NEGATIVE, name_of_count
from neurologic.experiments.bench.scenarios.long_prompt import prompt_of_length
from neurologic.experiments.bench.scenarios.texts import formula_of, negatives
from neurologic.experiments.bench.workload import (
    AGAIN,
    CTRANSLATE2,
    FULL,
    HINTED,
    NEW,
    OURS,
    OURS_INT8,
    QUICK,
    REFERENCE,
)
from neurologic.logic import require_consistent, to_clauses
from neurologic.models.prompts import encode_prompt
from tiny.tokenizers import gpt2_like


def count_words(prompt: str) -> int:
    return len(prompt.split())


def workload(letter: str, size=FULL):
    [found] = workloads([letter], size, count_words)
    return found


def fresh(letter: str, size=FULL) -> dict:
    """The workloads with fresh formulas, by number."""
    return {int(found.letter[1:]): found for found in workloads([letter], size, count_words)}


def kinds(formula) -> list[str]:
    """Per clause, whether its literals are positive, negative or both."""
    names = {(True,): "positive", (False,): "negative", (False, True): "mixed"}
    return [
        names[tuple(sorted({literal.positive for literal in clause.literals}))]
        for clause in to_clauses(formula)
    ]


@pytest.mark.parametrize("count", [1, 10, 100, 1_000, 3_000])
def test_a_formula_has_the_clauses_it_is_named_after_and_at_most_five_are_positive(count):
    found = kinds(formula_of(count))
    assert len(found) == count
    assert 1 <= found.count("positive") <= 5
    assert count == 1 or {"negative", "mixed"} <= set(found)


def test_no_clause_is_no_formula():
    assert formula_of(0) is None


def test_negatives_are_negative():
    assert kinds(negatives(3_000)) == ["negative"] * 3_000


def test_the_formulas_of_the_sweep_can_be_satisfied():
    require_consistent(to_clauses(formula_of(3_000)))


def test_larger_formulas_contain_the_smaller_ones():
    small, large = ({clause.text for clause in to_clauses(formula_of(count))} for count in (100, 1_000))
    assert small < large


def test_forbidden_words_are_plain_different_and_not_wanted_anywhere():
    words = forbidden_words()
    assert len(words) == len(set(words)) > 3_600, "3,000 clauses, every fifth with a second word"
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert {"dog", "dogs", "caught", "children"} <= concept_words()
    assert not concept_words() & set(words)


def test_concept_sets_are_different_and_enough_for_all():
    assert len(CONCEPTS) == len(set(CONCEPTS)) == 8 + FULL.inputs
    assert all(len(concepts) == 3 for concepts in CONCEPTS)


def test_scenario_a():
    found = workload("a")
    assert (found.num_beams, found.batch_size, len(found.prompts)) == (8, 8, 8)
    assert found.min_new_tokens == found.max_new_tokens == 32
    assert found.sides == (OURS, HINTED, REFERENCE)
    assert found.formulas[HINTED] == found.formulas[OURS]
    assert found.prompts[0] == "Write one sentence with the words dog, frisbee and catch."
    assert [clause.text for clause in to_clauses(found.formulas[OURS][0])] == [
        *("inflect(dog)", "inflect(frisbee)", "inflect(catch)")
    ]


def test_scenario_b_has_a_prompt_of_512_tokens():
    found = workload("b")
    assert (found.num_beams, len(found.prompts), found.min_new_tokens, found.max_new_tokens) == (8, 1, 32, 32)
    assert count_words(found.prompts[0]) == 512
    assert found.title == "a prompt of 512 tokens, 8 beams, 32 tokens"


@pytest.mark.parametrize("length", [100, 511, 512, 513])
def test_a_prompt_of_exactly_so_many_tokens(length):
    tokenizer = gpt2_like()  # cuts most words into several tokens

    def count_tokens(prompt: str) -> int:
        return len(encode_prompt(tokenizer, prompt).ids)

    assert count_tokens(prompt_of_length(length, count_tokens)) == length


def test_a_prompt_of_exactly_512_tokens_with_a_chat_template(smollm2_tokenizer):
    def count_tokens(prompt: str) -> int:
        return len(encode_prompt(smollm2_tokenizer, prompt).ids)

    prompt = prompt_of_length(512, count_tokens)
    assert count_tokens(prompt) == 512
    assert prompt.endswith("Write one sentence with the words boat, rope and wind.")


def test_a_tokenizer_for_which_there_is_no_such_prompt():
    with pytest.raises(ValueError, match="no prompt of exactly 513 tokens"):
        prompt_of_length(513, lambda prompt: 2 * len(prompt))


def test_scenarios_c_and_f_are_one_workload():
    [found] = workloads(["c", "f"], FULL, count_words)
    assert (found.letter, found.num_beams, len(found.prompts)) == ("c", 20, 1)
    assert len(to_clauses(found.formulas[OURS][0])) == 10
    assert workloads(["f"], FULL, count_words) == [found]


def test_scenario_i_translates_leases_with_their_terms(monkeypatch):
    monkeypatch.setattr(glossary, "find_spec", lambda name: object())
    found = workload("i")
    assert found.sides == (OURS, OURS_INT8, *CTRANSLATE2, REFERENCE)
    assert (found.num_beams, found.batch_size, len(found.prompts), found.min_new_tokens) == (4, 8, 20, 0)
    assert found.formulas[OURS] == found.formulas[OURS_INT8]
    assert len(glossary.glossary().terms) == 14
    with_terms = sum(formula is not None for formula in found.formulas[OURS])
    assert with_terms == 19, "the one about windows has no term"


def test_scenario_i_without_ctranslate2(monkeypatch):
    monkeypatch.setattr(glossary, "find_spec", lambda name: None)
    assert workload("i").sides == (OURS, OURS_INT8, REFERENCE)


def test_scenario_j_draws_one_text_under_3000_negatives():
    found = workload("j")
    assert (found.sampling, found.num_beams, len(found.prompts)) == (True, 1, 1)
    assert kinds(found.formulas[OURS][0]) == ["negative"] * 3_000
    assert found.min_new_tokens == found.max_new_tokens == 32


def test_scenario_d():
    found = workload("d")
    assert found.sides == (
        *("0 clauses", "1 clause", "10 clauses", "100 clauses", "1,000 clauses", "3,000 clauses"),
        *(ALL_NEGATIVE, REFERENCE),
    )
    assert found.min_new_tokens == found.max_new_tokens == 32


def test_scenario_e_mixes_lengths_and_lets_texts_end():
    found = workload("e")
    assert (len(found.prompts), found.batch_size, found.num_beams) == (64, 8, 8)
    assert (found.min_new_tokens, found.max_new_tokens) == (0, 32)
    lengths = [count_words(prompt) for prompt in found.prompts]
    assert min(lengths) < 15
    assert max(lengths) > 80
    for start in range(0, 64, 8):
        assert len(set(lengths[start : start + 8])) > 4, "in every batch of the reference"


def test_scenarios_a_and_e_share_no_formula():
    assert not set(workload("a").formulas[OURS]) & set(workload("e").formulas[OURS])


def test_scenario_g_has_new_formulas_of_five_clauses_in_every_run():
    found = fresh("g")
    assert list(found) == [1, 8, 32, 64]
    dealt = [each.fresh() for each in found.values() for _ in range(3)]
    formulas = [formula for inputs in dealt for formula in inputs.formulas]
    assert [len(inputs.prompts) for inputs in dealt[::3]] == [1, 8, 32, 64]
    assert len(set(formulas)) == len(formulas)
    assert {len(to_clauses(formula)) for formula in formulas} == {5}
    assert {each.sides for each in found.values()} == {(NEW, AGAIN)}
    assert {(each.num_beams, each.min_new_tokens, each.max_new_tokens) for each in found.values()} == {
        (8, 32, 32)
    }


def test_the_words_of_the_smaller_batches_of_g_are_new_as_well():
    """So that compiling them finds no word's forms in a table."""
    found = fresh("g")
    prompts = [found[batch].fresh().prompts for batch in (1, 8) for _ in range(6)]
    words = [word for each in prompts for prompt in each for word in prompt.split()[6:]]
    assert len([word for word in words if word != "and"]) == len({*words} - {"and"}) == 6 * 9 * 5


def test_scenario_h_requires_up_to_a_hundred_words_and_gives_room_for_them():
    found = fresh("h")
    assert list(found) == [5, 10, 20, 40, 100]
    for count, each in found.items():
        [formula] = each.fresh().formulas
        assert len(to_clauses(formula)) == count
        assert each.max_new_tokens == max(32, 3 * count)


def test_a_deck_deals_no_word_twice_before_all_are_dealt():
    deck = Deck("abcdef", seed=3)
    assert sorted(deck.deal(4) + deck.deal(2)) == list("abcdef")
    assert len(set(deck.deal(5))) == 5
    assert len(set(deck.deal(5))) == 5, "one is left, and five of a new deck are dealt"


def test_common_words_are_different_and_no_concepts():
    words = common_words()
    assert len(words) == len(set(words)) > 600
    assert not {word for concepts in CONCEPTS for word in concepts} & set(words)


@pytest.mark.parametrize("letter", [letter for letter in SCENARIOS if letter not in "gh"])
def test_quick_is_less_of_the_same(letter):
    full, quick = workload(SCENARIOS[letter].workload), workload(SCENARIOS[letter].workload, QUICK)
    assert quick.max_new_tokens < full.max_new_tokens
    assert len(quick.prompts) <= len(full.prompts)
    assert sum(map(len, quick.prompts)) <= sum(map(len, full.prompts))
    assert set(quick.sides) <= set(full.sides)
    assert quick.num_beams == full.num_beams


def test_the_quick_sweep_has_what_its_figures_need():
    assert {name_of_count(1), name_of_count(1_000), ALL_NEGATIVE} <= set(workload("d", QUICK).sides)


@pytest.mark.parametrize("letter", ["a", "b", "c", "d", "e"])
def test_every_side_has_a_formula_per_prompt(letter):
    found = workload(letter)
    assert {len(formulas) for formulas in found.formulas.values()} == {len(found.prompts)}
