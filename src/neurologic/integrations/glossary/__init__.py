"""Glossaries: the terms that a translation must and must not use where the source has certain words.

`term` defines an entry and its forms, `glossary_file` reads files of entries, `term_finder` finds terms in a
source, and `glossary` turns them into a formula like any other, without a model.
"""

from neurologic.integrations.glossary.glossary import Glossary, Use
from neurologic.integrations.glossary.term import GlossaryError, Term

__all__ = ["Glossary", "GlossaryError", "Term", "Use"]
