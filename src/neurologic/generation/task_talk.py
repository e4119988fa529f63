"""Keep talk about the task out of texts: "Here is a sentence …", "I hope this helps", "[Your Name]".

Instruct models like to speak about their answer instead of giving it. A search that looks for required words
finds them there, too: "This sentence uses the words …". So a chat text must not begin with certain words, and
must not say certain phrases, unless the prompt or the formula says them. These are no clauses: the verdict
does not mention them, and where the guarantee rests on such a word, the text may have it.

The lists are English and short on purpose; `neurologic.marks` finds more than they prevent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from neurologic.generation.job import Job
from neurologic.logic import Clause, Formula, Phrase, Predicate, occurs
from neurologic.logic.clauses import Literal
from neurologic.logic.predicates import Length, Nth, UnitCount, phrases_inside
from neurologic.logic.units import units
from neurologic.marks.function_words import FUNCTION_WORDS
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import Prompt
from neurologic.search.unwanted_phrases import Unwanted, UnwantedPhrases

# How a text must not begin, in lower case.
OPENINGS = (
    "here is", "here's", "here’s", "here are", "sure!", "sure,", "certainly!", "certainly,", "of course!",
    "of course,", "absolutely!", "in other words", "the original", "the sentence", "rewritten",
    "rephrased", "revised", "paraphrase", "headline:", "output:", "response:", "answer:", "as an ai",
    "the answer", "this answer", "i'm sorry", "i’m sorry", "i am sorry, but", "i'm an ai", "i'm a helpful",
    "i’m a helpful",
    "i'm here to help", "i’m here to help", "this is a sentence", "this is a paragraph", "this is a passage",
    "this is a text", "the first sentence", "the paragraph", "the passage", "the word", "a sentence with",
    "a paragraph with", "word 1", "sentence 1", "paragraph 1",
)  # fmt: skip

_SAYINGS = (
    "here to help", "here to support", "ready to help", "ready to assist",
    "assist you with", "to assist you", "happy to help", "hope this helps", "hope that helps",
    "as an AI", "an AI", "AI assistant", "helpful AI", "friendly AI", "AI language", "AI designed",
    "language model", "chatbot",
    "word count", "this sentence", "this paragraph", "this headline", "this paraphrase", "this rephrased",
    "this rewritten", "this revised", "rephrased", "reworded", "rewritten", "the original sentence",
    "this is an example", "in this example", "the required words", "the given words", "using the word",
    "used the word", "used the words", "used the phrase", "in this passage",
    "using the words", "uses the word", "uses the words", "use the word", "use the words", "in this context",
    "in this sentence", "idiomatic", "grammatically", "the original phrase", "version of the original",
    "unable to assist", "the answer to this question", "the answer to your question", "sample response",
    "way of expressing", "this rephrasing", "this rewording", "literal translation",
    "meets your requirements", "meets the requirements",
)  # fmt: skip

_PARTS = (
    "[your", "[name", "[insert", "[customer", "[client", "[recipient", "[company", "[date", "[time", "[phone",
    "[e-mail", "[email", "[address", "[product", "[first", "[last", "[my", "[the", "[sender", "[contact",
    "[link", "[order", "[number", "[position", "[store", "[shop", "[hotel", "[restaurant", "[school",
    "name]", "date]", "number]", "address]", "here]", "[manager", "[landlord", "[professor", "[event",
    "[city", "[month", "[day", "[amount", "<|", "|>",
)  # fmt: skip

_FORBIDDEN = tuple(map(Phrase, (*_SAYINGS, *_PARTS)))

_DIGITS = tuple("0123456789")
# What a text hardly speaks of, unless it speaks of its own length.
_SPOKEN_OF = {
    "character": ("characters", "spaces", "sentence", "sentences"),
    "word": ("sentence", "sentences", "word", "words", "letters"),
    "sentence": ("sentence", "sentences"),
    "paragraph": ("paragraph", "paragraphs", "sentence", "sentences"),
}
_SPOKEN_OF_LETTERS = ("the letter", "a letter that", "a letter of", "letters", "alphabet")
_FORMS = (
    "lower case", "lowercase", "upper case", "uppercase", "capital letters", "letters only", "asterisks",
    "square brackets", "angular brackets", "bullet points", "bullet point", "placeholder", "placeholders",
    "markdown", "postscript", "quotation marks", "last word", "first word", "last sentence",
)  # fmt: skip
# How an instruction may end where a text repeats it, and the fewest words of an echo.
_ECHO_ENDS = (".", ":", "!", "\n")
_ENDS = ".:!?\"'”’ "
_SHORTEST_ECHO = 3
_LOOKED_AT = 20  # sentences of a prompt
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_MOST_ORDINAL = 20
_VOCABULARIES_KEPT = 4
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def without_task_talk(job: Job, prompt: Prompt) -> Job:
    """Return the same job, but with texts that do not talk about the task."""
    given = job.search_input
    clauses, vocabulary = given.constraint.clauses, given.constraint.vocabulary
    text = " ".join([prompt] if isinstance(prompt, str) else [message["content"] for message in prompt])
    openings = _unsaid_openings(text, clauses)
    return replace(
        job, search_input=replace(given, openings=openings, unwanted=_task_talk(text, clauses, vocabulary))
    )


def _task_talk(prompt: str, clauses: Sequence[Clause], vocabulary: Vocabulary) -> tuple[Unwanted, ...]:
    """Return all talk about the task, but nothing that the prompt or a clause says."""
    said = [phrase.text for clause in clauses for phrase in _spoken_of(clause)]
    always = _usual_talk(vocabulary)
    allowed = [phrase for phrase in _FORBIDDEN if _is_said(phrase, [prompt, *said])]
    unwanted = Unwanted(always, always.named(allowed))
    # Prompts do speak of lengths, but texts should not.
    own = [phrase for phrase in _talk_of_lengths(clauses) if not _is_said(phrase, said)]
    own += _again(clauses)
    return (unwanted, Unwanted(UnwantedPhrases(vocabulary.folded, own))) if own else (unwanted,)


@lru_cache(maxsize=_VOCABULARIES_KEPT)
def _usual_talk(vocabulary: Vocabulary) -> UnwantedPhrases:
    return UnwantedPhrases(vocabulary.folded, _FORBIDDEN)


def _again(clauses: Sequence[Clause]) -> list[Phrase]:
    """Return second occurrences of words that have a place of their own: models like to say them twice."""
    atoms = (clause.root.atom for clause in clauses if isinstance(clause.root, Literal))
    placed = [
        atom.part.text
        for atom in atoms
        if isinstance(atom, Nth) and atom.unit == "word" and isinstance(atom.part, Phrase)
    ]
    required = {phrase.text for clause in clauses for phrase in clause.required_phrases}
    return [
        Phrase(word, times=2)
        for word in dict.fromkeys(placed)
        if placed.count(word) == 1 and word not in required and word.lower() not in FUNCTION_WORDS
    ]


def _talk_of_lengths(clauses: Sequence[Clause]) -> Iterator[Phrase]:
    """Yield what a text may say of the lengths that it should have: "82 characters", "exactly 82"."""
    lengths = _lengths(clauses)
    if any(isinstance(literal.atom, Predicate) for clause in clauses for literal in clause.literals):
        yield from map(Phrase, _FORMS)
    if any(phrase.match == "substring" for clause in clauses for phrase in clause.required_phrases):
        yield from map(Phrase, _SPOKEN_OF_LETTERS)
    if _speaks_of_words(clauses):
        yield from map(Phrase, _SPOKEN_OF["word"])
        yield from map(Phrase, _ordinals(clauses))
    for length in lengths:
        yield Phrase("exactly")
        yield from map(Phrase, _SPOKEN_OF.get(length.measure, ()))
        for number in sorted({length.range.low, length.range.high or 0} - {0}):
            if number >= len(_NUMBERS):
                yield Phrase(str(number), match="substring")
                continue
            for name in (str(number), _NUMBERS[number]):
                yield from (Phrase(f"{name} {length.measure}"), Phrase(f"{name} {length.measure}s"))
                yield from (Phrase(f"{name}-{length.measure}"), Phrase(f"at least {name}"))


def _speaks_of_words(clauses: Sequence[Clause]) -> bool:
    atoms = (literal.atom for clause in clauses for literal in clause.literals)
    return any(isinstance(atom, (Nth, UnitCount)) and atom.unit == "word" for atom in atoms)


def _ordinals(clauses: Sequence[Clause]) -> list[str]:
    """Return the places that the clauses give to words, as prompts name them: "3rd"."""
    atoms = (literal.atom for clause in clauses for literal in clause.literals)
    places = sorted({atom.place for atom in atoms if isinstance(atom, Nth) and atom.unit == "word"})
    return [f"{place}{_ENDINGS.get(place, 'th')}" for place in places if 0 < place <= _MOST_ORDINAL]


def _lengths(clauses: Sequence[Clause]) -> tuple[Length, ...]:
    literals = (literal for clause in clauses for literal in clause.literals)
    return tuple(dict.fromkeys(length for literal in literals for length in _lengths_in(literal.atom)))


def _lengths_in(formula: Formula) -> Iterator[Length]:
    if isinstance(formula, Length):
        yield formula
    for part in formula.operands:
        yield from _lengths_in(part)


def _unsaid_openings(prompt: str, clauses: Sequence[Clause]) -> tuple[str, ...]:
    """Return the beginnings that a text must not have."""
    said = [phrase.text.lower() for clause in clauses for phrase in _spoken_of(clause)]
    openings = [
        opening for opening in OPENINGS if not any(opening in text for text in (prompt.lower(), *said))
    ]
    openings += [echo for echo in _echoes(prompt) if not any(echo in text or text in echo for text in said)]
    # Where lengths count, a first digit numbers a list, or fills up.
    return (*openings, *(_DIGITS if _lengths(clauses) else ()))


def _echoes(prompt: str) -> Iterator[str]:
    """Yield the beginnings that repeat the first sentence of a prompt, or a question in it, in lower case.

    A text may begin like an instruction ("A walk in the forest is …"), but not with all of it.

    >>> list(_echoes("Announce a concert. Who sings there?"))[:2]
    ['announce a concert.', 'announce a concert:']
    >>> list(_echoes("Announce a concert. Who sings there?"))[-1]
    'who sings there'
    """
    for number, sentence in enumerate(units("sentence", prompt.lower())[:_LOOKED_AT]):
        words = sentence.rstrip(_ENDS)
        if words.count(" ") + 1 < _SHORTEST_ECHO:
            continue
        if sentence.endswith("?"):
            yield words
        elif number == 0:
            yield from (words + end for end in _ECHO_ENDS)


def _spoken_of(clause: Clause) -> Iterator[Phrase]:
    """Yield the phrases that a clause wants, and all inside of predicates, which may want them too."""
    yield from clause.required_phrases
    for literal in clause.literals:
        if isinstance(literal.atom, Predicate):
            yield from phrases_inside(literal.atom)


def _is_said(phrase: Phrase, texts: Iterable[str]) -> bool:
    return any(phrase.text.lower() in text.lower() and occurs(phrase, text) for text in texts)
