"""Glossaries: which terms a translation must use, and must not use, where the source has certain words.

`terms` is one entry and how its forms are written, `reading` reads files of them, `finding` looks for terms
in a source, and `glossary` turns what is found into a formula. Nothing here knows models: what comes out is a
formula like any other.
"""

from neurologic.integrations.glossary.glossary import Glossary, Use
from neurologic.integrations.glossary.term import GlossaryError, Term

__all__ = ["Glossary", "GlossaryError", "Term", "Use"]
