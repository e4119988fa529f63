"""Glossaries: how their files are read, which terms a source has, and what its translation must obey."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import neurologic as nl
import paths
from neurologic.integrations.glossary import Glossary, GlossaryError, Term
from neurologic.integrations.glossary.term_finder import Occurrence, SourceForm, TermFinder
from neurologic.logic import Phrase, find_contradiction, to_clauses
from neurologic.logic.characters import is_word_character, normalise, number_goes_on

TERM_LISTS = paths.DATA / "terminology"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Read a glossary from the text (or bytes) of a file."""

    def read_text(text: str | bytes, **options: Any) -> Glossary:
        path = tmp_path / "terms.tsv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Glossary.read(path, **options)

    return read_text


def glossary(*terms: tuple[Any, ...], **options: Any) -> Glossary:
    return Glossary([Term(*term) for term in terms], **options)


def found(glossary: Glossary, source: str) -> list[str]:
    return [use.term.source for use in glossary.uses(source)]


def satisfied(formula: nl.Formula | None, text: str) -> bool:
    return all(report.satisfied for report in nl.check(formula, text))


# Files


def test_a_file_of_terms(read: Any) -> None:
    terms = read("tenant\tpreneur | preneuse\tlocataire|locataires\nrent\tloyer\nboss\t\tboss\n").terms
    assert terms == (
        Term("tenant", ("preneur", "preneuse"), ("locataire", "locataires"), (1,)),
        Term("rent", ("loyer",), (), (2,)),
        Term("boss", (), ("boss",), (3,)),
    )


def test_comments_blank_lines_headings_byte_order_mark_line_ends_and_empty_columns(read: Any) -> None:
    text = "# ours\r\n\r\nSource term\tAllowed forms\tForbidden\r\ntenant\tpreneur\t\t\t\r\n\t\t\r\n# end"
    assert read(b"\xef\xbb\xbf" + text.encode()).terms == (Term("tenant", ("preneur",), (), (4,)),)
    assert read("rent\tloyer\rfloor\tétage\r").terms[1] == Term("floor", ("étage",), (), (2,))


def test_only_a_first_row_of_headings_is_none_of_the_terms(read: Any) -> None:
    assert [term.source for term in read("term\tterme\nsource\ttarget\n").terms] == ["term", "source"]


def test_the_same_term_on_several_lines_is_merged(read: Any) -> None:
    (term,) = read("tenant\tpreneur\nTenant\tpreneur | preneuse\tlocataire\n").terms
    assert term == Term("tenant", ("preneur", "preneuse"), ("locataire",), (1, 2))


def test_several_terms_in_one_line_share_its_forms(read: Any) -> None:
    terms = read("flat | apartment\tlogement\nflat\tappartement\n")
    assert str(terms.formula("a flat")) == "logement | appartement"
    assert str(terms.formula("an apartment")) == "logement"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rent\tloyer\ntenant preneur\n", 'line 2: found no tab; write a tab .* after the term "tenant pren'),
        ("rent\tloyer\n\tpreneur\n", "line 2: the source term is missing"),
        ("0\t21\tinterview\tInterview\t\t\n", "line 1: found 4 columns, expected at most 3"),
        ("tenant\t|\n", 'line 1: found no tab|line 1: the term "tenant" has neither'),
        ("tenant\tpreneur; preneuse\n", r"line 1: preneur; preneuse: forms are separated by \|"),
        ("tenant\tpreneur, preneuse\n", r"line 1: .* forms are separated by \|; if this is one form, write"),
        ("tenant\tpreneur[case=upper]\n", "line 1: .*case must be fold or exact"),
        ("tenant\tpreneur[match=tokens]\n", "line 1: .* match is word or substring"),
        ("ten[match=substring]\tpreneur\n", "line 1: the source term .* found as whole words"),
        ("tenant[times=2]\tpreneur\n", "line 1: the source term .* found as whole words"),
        ("tenant\tinflect(a) & inflect(b)\n", "line 1: .* a form is one phrase"),
        ("tenant\tpreneur\tPreneur\n", r"line 1 \(tenant\): Preneur is allowed and also forbidden"),
        ("tenant\ta\nrent\tb\ntenant\tc\ta\n", r"lines 1 and 3 \(tenant\): a is allowed and also forbidden"),
        ("# nothing\n", "it has no terms"),
        ("", "it has no terms"),
        (b"rent\tloyer\ntenant\tpr\xe9neur\n", "line 2: not UTF-8"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(read: Any, text: str | bytes, told: str) -> None:
    with pytest.raises(GlossaryError, match=told) as caught:
        read(text)
    assert "terms.tsv" in str(caught.value)


def test_all_bad_lines_are_told_at_once_but_not_hundreds(read: Any) -> None:
    with pytest.raises(GlossaryError) as caught:
        read("rent\tloyer\n" + "no tab\n" * 30)
    lines = str(caught.value).splitlines()
    assert [line[:7] for line in lines[1:4]] == ["line 2:", "line 3:", "line 4:"]
    assert lines[-1] == "and 20 more"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GlossaryError, match=r"cannot use the glossary .*none\.tsv: No such file"):
        Glossary.read(tmp_path / "none.tsv")


def test_terms_made_in_python_are_checked_too() -> None:
    with pytest.raises(GlossaryError, match="neither allowed nor forbidden"):
        Term("tenant")
    with pytest.raises(GlossaryError, match=r'as in allowed=\("preneur",\)'):
        Term("tenant", "preneur")  # type: ignore[arg-type]
    with pytest.raises(GlossaryError, match='the term "tenant": a is allowed and also forbidden'):
        glossary(("tenant", ("a",), ("a",)))


@pytest.mark.skipif(not TERM_LISTS.is_dir(), reason=f"the term lists are not at {TERM_LISTS}")
@pytest.mark.parametrize("path", sorted(TERM_LISTS.glob("*.tsv")), ids=lambda path: path.name)
def test_published_term_lists_of_sentences_become_a_glossary(path: Path) -> None:
    """Their lines are: number, sentence, then pairs of a term and its translation."""
    rows = [line.rstrip("\n").split("\t")[2:] for line in path.open(encoding="utf-8")]
    pairs = [pair for cells in rows for pair in zip(cells[::2], cells[1::2], strict=False) if all(pair)]
    terms = Glossary(Term(source, (target,)) for source, target in pairs)
    assert len(terms.terms) == len({source.casefold() for source, _ in pairs})
    for source, target in pairs:  # every term is found in itself, and its translation satisfies it
        assert satisfied(terms.formula(source), target)


# Which terms a source has


def test_terms_are_whole_words_in_any_case() -> None:
    terms = glossary(("rent", ("loyer",)))
    for source in ("The rent.", "RENT is due", "rent's", "the rent–paid"):
        assert found(terms, source) == ["rent"]
    for source in ("parental", "rental", "Renter", ""):
        assert found(terms, source) == []


def test_capitals_inside_a_word_count_and_a_first_one_does_not() -> None:
    terms = glossary(("US", ("USA",)), ("iPhone", ("iPhone",)), ("Upper Palatinate", ("Oberpfalz",)))
    assert found(terms, "Tell us of the upper palatinate.") == ["Upper Palatinate"]
    assert found(terms, "The US iPhone") == ["US", "iPhone"]
    assert not satisfied(terms.formula("US"), "die usa")


def test_brackets_make_a_first_capital_count() -> None:
    terms = glossary(("Turkey[case=exact]", ("Turquie",)), ("turkey", ("dinde",)))
    assert found(terms, "Turkey exports turkeys.") == ["Turkey[case=exact]", "turkey"]
    assert found(terms, "a turkey") == ["turkey"]


@pytest.mark.parametrize(
    ("term", "source"),
    [
        ("tenant", "all tenants"),
        ("security deposit", "two security deposits"),
        ("VAT", "different VATs"),
        ("victories", "a victory"),
        ("invest", "they invested"),
        ("inflect(match, verb)", "matching"),
    ],
)
def test_english_terms_are_found_inflected(term: str, source: str) -> None:
    assert found(glossary((term, ("x",))), source) == [term]
    assert found(glossary(("tenant", ("x",)), inflect=False), "all tenants") == []


def test_a_term_that_can_be_a_noun_is_inflected_as_one() -> None:
    assert found(glossary(("match", ("rencontre",))), "matching colours") == []


def test_the_longest_term_wins_where_terms_overlap() -> None:
    terms = glossary(("pressure", ("pression",)), ("blood pressure", ("tension",)), ("blood", ("sang",)))
    assert found(terms, "High blood pressure") == ["blood pressure"]
    assert found(terms, "Blood pressures, and the pressure of blood") == [
        "blood pressure",
        "pressure",
        "blood",
    ]


def test_what_is_listed_wins_over_an_inflected_form_and_else_the_first() -> None:
    terms = glossary(("good", ("bien",)), ("goods", ("marchandises",)))
    assert found(terms, "the goods") == ["goods"]
    assert found(glossary(("leaf", ("feuille",)), ("leave", ("congé",))), "leaves") == ["leaf"]


def test_several_occurrences_are_one_use() -> None:
    (use,) = glossary(("tenant", ("preneur",))).uses("Tenants: every tenant and the tenant's guests")
    assert use.found == ("Tenants", "tenant")


@pytest.mark.parametrize(
    "source", ["the driver's licence", "the driver’s licence", "the  driver's\u00a0licence"]
)
def test_apostrophes_and_spaces_of_any_kind_are_the_same(source: str) -> None:
    assert found(glossary(("driver’s licence", ("permis",))), source) == ["driver’s licence"]


def test_terms_that_are_not_words_and_scripts_without_spaces() -> None:
    terms = glossary(("C++", ("C++",)), (".NET", (".NET",)), ("血圧", ("tension",)), ("Straße", ("rue",)))
    assert found(terms, "C++ and .NET") == ["C++", ".NET"]
    assert found(terms, "高血圧の人") == ["血圧"]
    assert found(terms, "STRASSE, strasse") == ["Straße"]


WORDS = ("a", "A", "b", "ß", "SS", "-", "'", "’", " ", "  ", "+", "血", "1", ".")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map("".join)
phrases = texts.filter(str.strip).map(lambda text: text.replace("’", "'"))


def all_by_brute_force(forms: list[SourceForm], source: str) -> set[tuple[int, int, int]]:
    """Every stretch of the source, compared with every form."""
    text = normalise(source.replace("’", "'"), exact_case=True)
    every = set()
    for number, form in enumerate(forms):
        exact = form.phrase.case == "exact"
        wanted = normalise(form.phrase.text, exact_case=exact)
        for start in range(len(text)):
            for end in range(start + 1, len(text) + 1):
                stretch = text[start:end] if exact else text[start:end].casefold()
                open_left = start and is_word_character(text[start - 1]) and is_word_character(text[start])
                open_right = (
                    end < len(text) and is_word_character(text[end]) and is_word_character(text[end - 1])
                )
                left, right = form.phrase.number_edges
                cut = (left and number_goes_on(text[:start], text[start:])) or (
                    right and number_goes_on(text[:end], text[end:])
                )
                if stretch == wanted and not open_left and not open_right and not cut:
                    every.add((start, end, number))
    return every


@given(
    st.lists(st.tuples(phrases, st.sampled_from(("fold", "exact")), st.booleans()), min_size=1, max_size=5),
    texts,
)
def test_what_is_found_is_what_brute_force_finds(written: list[Any], source: str) -> None:
    forms = [
        SourceForm(Phrase(text, case=case), number, listed)
        for number, (text, case, listed) in enumerate(written)
    ]
    every = all_by_brute_force(forms, source)
    expected = []
    while every:  # the best goes first and takes all that it touches with it
        best = min(every, key=lambda one: Occurrence(one[0], one[1], "", forms[one[2]]).rank)
        expected.append(best)
        every = {one for one in every if one[1] <= best[0] or one[0] >= best[1]}
    seen = TermFinder(forms).find(source)
    assert [(one.start, one.end, one.form.term) for one in seen] == sorted(expected)


@given(st.lists(phrases, min_size=1, max_size=4), texts)
def test_a_single_term_is_found_where_occurs_finds_it(terms: list[str], source: str) -> None:
    for term in terms:
        finder = TermFinder([SourceForm(Phrase(term), 0)])
        assert bool(finder.find(source)) == nl.occurs(term, source.replace("’", "'"))


# What the translation must obey


def test_one_allowed_form_is_required_and_none_of_the_forbidden() -> None:
    formula = glossary(("buyer", ("acquéreur", "acquéreurs"), ("acheteur",))).formula("The buyer pays.")
    assert str(formula) == "(acquéreur | acquéreurs) & !acheteur"
    assert satisfied(formula, "L'acquéreur paie.")  # elision
    assert satisfied(formula, "Acquéreurs : payez.")  # a capital at the start
    assert not satisfied(formula, "L'acheteur paie.")
    assert not satisfied(formula, "L'acquéreur, l'acheteur.")


def test_a_source_without_terms_has_no_formula() -> None:
    assert glossary(("buyer", ("acquéreur",))).formula("The seller.") is None


def test_a_term_may_only_forbid() -> None:
    assert str(glossary(("boss", (), ("boss",))).formula("my boss")) == "!boss"


def test_both_kinds_of_apostrophe_are_allowed_and_forbidden() -> None:
    formula = glossary(("flight attendant", ("hôtesse de l’air",), ("agent d'avion",))).formula(
        "a flight attendant"
    )
    assert satisfied(formula, "une hôtesse de l'air")
    assert satisfied(formula, "une hôtesse de l’air")
    assert not satisfied(formula, "une hôtesse de l'air, un agent d’avion")


def test_quotes_are_not_part_of_a_form_and_keep_commas(read: Any) -> None:
    formula = read('tenant\t"le preneur" | "a, b"\n').formula("tenant")
    assert str(formula) == '"le preneur" | "a, b"'


def test_options_and_inflections_of_formulas_can_be_written(read: Any) -> None:
    formula = read("bail\tinflect(lease, noun)\tcontract[match=substring] | Rent[case=exact]\n").formula(
        "bail"
    )
    assert str(formula) == "(lease | leases) & !contract[match=substring] & !Rent[case=exact]"


def test_a_forbidden_form_inside_an_allowed_one_may_stand_there() -> None:
    terms = glossary(("blood pressure", ("pression artérielle", "tension"), ("pression",)))
    formula = terms.formula("His blood pressure is high.")
    assert satisfied(formula, "Sa pression artérielle est élevée.")
    assert satisfied(formula, "Sa tension est élevée.")
    assert not satisfied(formula, "Sa tension, sa pression est élevée.")


def test_terms_of_one_source_do_not_contradict_one_another() -> None:
    terms = glossary(
        ("tenant", ("preneur",), ("locataire",)),
        ("subtenant", ("sous-locataire",)),
        ("deposit", ("caution",)),
        ("guarantor", ("garant",), ("caution",)),
    )
    both = terms.formula("The tenant and the subtenant")
    assert satisfied(both, "Le preneur et le sous-locataire")
    assert not satisfied(terms.formula("The tenant"), "Le preneur et le sous-locataire")
    assert satisfied(terms.formula("the guarantor's deposit"), "la caution du garant")
    assert not satisfied(terms.formula("the guarantor"), "la caution du garant")


forms = st.lists(st.sampled_from(("a", "b", "a b", "b c", "c", "c-a")), max_size=2, unique=True).map(tuple)


@given(st.lists(st.tuples(forms, forms), min_size=1, max_size=4))
def test_no_formula_of_a_glossary_is_a_contradiction(written: list[Any]) -> None:
    terms = []
    for number, (allowed, forbidden) in enumerate(written):
        rest = tuple(form for form in forbidden if form not in allowed)
        if allowed or rest:
            terms.append(Term(f"w{number}", allowed, rest))
    whole = Glossary(terms, inflect=False)
    formula = whole.formula(" ".join(term.source for term in terms))
    assume(formula is not None)
    assert formula is not None
    assert find_contradiction(to_clauses(formula)) is None
    # All allowed forms side by side obey what is forbidden: every form that stands is part of an allowed one.
    side_by_side = " / ".join(form for term in terms for form in term.allowed)
    assert all(use.kept(side_by_side) for use in whole.uses(" ".join(term.source for term in terms)))


def test_a_use_says_what_became_of_the_term() -> None:
    (use,) = glossary(("tenant", ("preneur", "preneurs"), ("locataire",), (7,))).uses("All tenants")
    assert use.to_json() == {"term": "tenant", "lines": [7], "found": ["tenants"]}
    assert use.to_json("Les preneurs") == {
        "term": "tenant",
        "lines": [7],
        "found": ["tenants"],
        "used": ["preneurs"],
        "satisfied": True,
    }
    assert use.to_json("Le preneur, le locataire")["satisfied"] is False


def test_ten_thousand_terms_are_looked_up_by_their_first_word() -> None:
    terms = glossary(*((f"word{number} b", (f"x{number}",)) for number in range(10_000)), inflect=False)
    assert found(terms, "a word9999 b, word12 b") == ["word9999 b", "word12 b"]
    assert len(terms._finder._by_first_word["word12"]) == 1


def test_the_example_is_a_glossary_whose_terms_occur_in_its_sentences() -> None:
    folder = paths.REPOSITORY / "examples"
    terms = Glossary.read(folder / "lease.tsv")
    sentences = (folder / "lease.txt").read_text(encoding="utf-8").splitlines()
    used = {term for sentence in sentences for term in found(terms, sentence)}
    assert used == {term.source for term in terms.terms}
    assert re.fullmatch(r"\(acompte .*", str(terms.formula("The buyer paid a deposit.")))


@pytest.mark.real_model
def test_a_translation_keeps_to_the_glossary(marian: Any) -> None:
    from neurologic.generation.constrained_model import ConstrainedModel

    terms = glossary(
        ("tenant", ("preneur", "preneurs"), ("locataire", "locataires")), ("rent", ("loyer", "loyers"))
    )
    source = "The tenants pay the rent."
    result = ConstrainedModel(marian).generate(source, terms.formula(source), num_beams=4, max_new_tokens=24)
    assert (result.satisfied, result.forced) == (True, 0)
    assert all(use.kept(result.text) for use in terms.uses(source))
