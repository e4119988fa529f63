"""Words as ROUGE-1.5.5 makes them with `-m`: lower case, letters and digits of ASCII only, stemmed.

Words of up to three letters stay as they are. A longer word in WordNet's lists of irregular forms becomes its
base form ("stood" → "stand"), any other its Porter stem. METEOR's archive contains these lists; where it has
several base forms for a word, or a form that ROUGE lacks, the tables below restore ROUGE's lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from zipfile import ZipFile

from neurologic.experiments.metrics.optional_packages import package_file
from neurologic.experiments.metrics.porter import stem

_WORD = re.compile("[a-z0-9]+")
_ARCHIVE_MEMBER = "synonym/english.exceptions"

# METEOR's archive has several base forms of these words, and the first is not ROUGE's.
_OTHER_BASE = {
    "aurar": "eyrir", "best": "well", "better": "well", "comics": "comic_strip", "feed": "feed",
    "involucra": "involucrum", "offer": "offer",
}  # fmt: skip
_NOT_IN_ROUGE = {
    "ashes", "cognosenti", "gps", "halfpence", "houses_of_cards", "lisente", "loups-garous", "morses",
    "optic_axes", "staretsy",
}  # fmt: skip


def rouge_words(text: str) -> list[str]:
    """Return ROUGE's words: "The kids stood, T-shirts on" has the, kid, stand, t, shirt, on."""
    irregular = base_forms()
    words = _WORD.findall(_lower(text))
    return [irregular.get(word) or stem(word) if len(word) > 3 else word for word in words]


@lru_cache(maxsize=1)
def base_forms() -> Mapping[str, str]:
    """Return irregular forms with their base forms, as in ROUGE's copy of WordNet 2.0."""
    with ZipFile(package_file("pycocoevalcap", "meteor/meteor-1.5.jar")) as archive:
        lines = archive.read(_ARCHIVE_MEMBER).decode("utf-8").splitlines()
    forms: dict[str, str] = {}
    for base, inflected in zip(lines[::2], lines[1::2], strict=True):
        for form in inflected.split():
            forms.setdefault(form, base)
    return {form: base for form, base in (forms | _OTHER_BASE).items() if form not in _NOT_IN_ROUGE}


def _lower(text: str) -> str:
    """Lower ASCII letters only: `str.lower` would make of "İ" an "i" that ROUGE does not see."""
    return re.sub("[A-Z]+", lambda match: match[0].lower(), text)
