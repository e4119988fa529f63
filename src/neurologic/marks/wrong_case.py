"""Find wrong case: a name in lower case, a sentence without its capital, a capital in the middle of one.

The user's own spelling of a required phrase is the right one ("Uppsala", "iPhone"). A capital is also right
where a sentence or a line starts and in titles, and capitals are right among capitals. Words that nobody
required are looked at only where a sentence starts. Addresses and hashtags spell as they like, and so does a
text whose formula allows no capitals.
"""

from __future__ import annotations

import re
import unicodedata

from neurologic.marks.function_words import FUNCTION_WORDS
from neurologic.marks.reading import PhrasePlace, Reading

_NEXT_SENTENCE = re.compile(r"(?P<end>[.!?])\s+(?P<word>[^\W\d_]\S*)")
_FIRST_WORD = re.compile(r"\s*[\"'“‘«(*_]*(?P<word>[^\W\d_]\S*)")
_LETTERS = re.compile(r"[\w'’-]*\w")
_ADDRESS = re.compile(r"[@/#_\\]|\w\.\w")
_TOKEN_START = re.compile(r"\S+")
_TOKEN_END = re.compile(r"\S+\Z")
_MID_SENTENCE = re.compile(r"\w[,;]?[ \t]+\Z")
_SENTENCE_END = re.compile(r"[.!?…:\n]")
_AROUND = 40  # characters

# No sentence ends at the full stop of these.
_SHORT_FORMS = """
approx bzw ca cf co corp dept dr ed eds est et etc ex excl fig ft hr hrs inc incl jr lb lbs ltd max min mins
mr mrs ms mt no nr oz pp prof pt rd rev sec sr st str tbs tbsp tel temp tsp usw vol vs
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
"""
# English gives these a capital, however a user writes them.
_PROPER = """
i monday tuesday wednesday thursday friday saturday sunday
mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april may june july august september october november december christmas easter
english french german spanish italian irish swedish swiss american british european african asian chinese
japanese
"""
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
_ALWAYS_CAPITAL = frozenset(_PROPER.split())
_ARTICLES = ("the ", "a ", "an ")
_WORDS_OF_TITLE = 2  # besides the phrase itself
_ACRONYM = 4  # letters: "usb" may be "USB"


def find(reading: Reading) -> str | None:
    """Return the first word or phrase of a text with the wrong case.

    >>> from neurologic.logic import parse, to_clauses
    >>> find(Reading("The train to uppsala is late.", to_clauses(parse("Uppsala & train"))))
    'uppsala'
    """
    for place in reading.phrase_places:
        if _is_wrong(reading, place):
            return reading.text[place.start : place.end]
    return _small_start(reading) or _small_sentence(reading)


def _is_wrong(reading: Reading, place: PhrasePlace) -> bool:
    written, wanted = _plain(reading.text[place.start : place.end]), place.phrase.text
    if written == wanted or written.casefold() != wanted.casefold() or len(written) != len(wanted):
        return False  # other letters ("ss" for "ß") are no matter of case
    if _is_address(reading.text, place) or (written.isupper() and _capitals_around(reading.text, place)):
        return False
    if _is_common(wanted):
        return _has_needless_capital(reading.text, place, written)
    if wanted.lower().startswith(_ARTICLES):  # "the Guardian"
        return written[1:] != wanted[1:]
    return True


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _is_common(wanted: str) -> bool:
    """Return whether a phrase is no name: in lower case, or like "Best regards" with a sentence's capital."""
    first, _, rest = wanted.partition(" ")
    return wanted.islower() or (rest.islower() and first[1:].islower())


def _has_needless_capital(text: str, place: PhrasePlace, written: str) -> bool:
    """Return whether a common phrase has capitals in the middle of a sentence, with none around it."""
    if written.islower() or written.lower() in _ALWAYS_CAPITAL:
        return False
    if written.isupper() and len(written) <= _ACRONYM:
        return False
    if _is_in_title(text, place):
        return False
    before, after = text[max(0, place.start - _AROUND) : place.start], text[place.end : place.end + _AROUND]
    if not _MID_SENTENCE.search(before):
        return False
    same_sentence = _SENTENCE_END.split(before)[-1]
    earlier = same_sentence.split()
    if len(same_sentence) < len(before) or place.start <= _AROUND:
        del earlier[:1]  # it has its capital from its place
    later = _SENTENCE_END.split(after)[0].split()[:2]
    around = [word.strip("\"'“”‘’«»(,;*") for word in [*earlier[-3:], *later]]
    return not any(word[:1].isupper() and word != "I" for word in around)


def _is_in_title(text: str, place: PhrasePlace) -> bool:
    """Return whether every other word of the line that carries meaning has a capital, as in a headline."""
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", place.end)
    line = text[start : place.start] + text[place.end : len(text) if end < 0 else end]
    words = [
        word for word in _LETTERS.findall(line) if word.lower() not in FUNCTION_WORDS and not word.isdigit()
    ]
    return len(words) >= _WORDS_OF_TITLE and all(word[0].isupper() for word in words)


def _capitals_around(text: str, place: PhrasePlace) -> bool:
    """Return whether the words around are written in capitals."""
    around = text[max(0, place.start - _AROUND) : place.start] + text[place.end : place.end + _AROUND]
    return around.isupper() or not any(character.isalpha() for character in around)


def _is_address(text: str, place: PhrasePlace) -> bool:
    """Return whether the phrase is part of a web address, an e-mail address or a hashtag."""
    before = _TOKEN_END.search(text, max(0, place.start - _AROUND), place.start)
    after = _TOKEN_START.match(text, place.end, place.end + _AROUND)
    token = text[before.start() if before else place.start : after.end() if after else place.end]
    return bool(_ADDRESS.search(token))


def _small_start(reading: Reading) -> str | None:
    """Find a small letter at the start of a text that continues nothing."""
    first = None if reading.before else _FIRST_WORD.match(reading.text)
    word = None if first is None else _small(first["word"])
    return word if first is not None and _may_have_capital(reading, first.start("word")) else None


def _small_sentence(reading: Reading) -> str | None:
    """Find a small letter after the end of a sentence."""
    for match in _NEXT_SENTENCE.finditer(reading.text):
        word = _small(match["word"])
        if word is None or reading.is_required(*match.span("end")):  # "Yahoo! is"
            continue
        ends = match["end"] != "." or not _is_abbreviation(reading.text, match.start())
        if ends and _may_have_capital(reading, match.start("word")):
            return word
    return None


def _may_have_capital(reading: Reading, place: int) -> bool:
    """Return whether the formula allows a capital at this place."""
    text = reading.text
    return reading.allows(text[:place] + text[place].upper() + text[place + 1 :])


def _small(token: str) -> str | None:
    """Return the word at the start of a token if it should have a capital there; "iPhone" should not."""
    word = _LETTERS.match(token)
    return word[0] if word is not None and word[0].islower() and not _is_odd(token) else None


def _is_odd(token: str) -> bool:
    return bool(_ADDRESS.search(token)) or any(character.isdigit() for character in token)


def _is_abbreviation(text: str, stop: int) -> bool:
    """Return whether the full stop at `stop` ends no sentence: "e.g.", "Dr.", "3.", "...", "p.m."."""
    token = _TOKEN_END.search(text, max(0, stop - _AROUND), stop)
    last = "" if token is None else token[0].strip("\"'“‘(«")
    if len(last) < 2 or last.lower() in _ABBREVIATIONS:
        return True
    if last.isdigit():
        return len(last) < 3
    return "." in last or any(character.isdigit() for character in last)  # "350°F."
