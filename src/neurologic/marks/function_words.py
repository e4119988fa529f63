"""English words that hold sentences together and say little themselves."""

from __future__ import annotations

_DETERMINERS = "a an the this that these those my your his her its our their some any no every each all both"
_OTHERS = """
i you he she it we they me him us them who whom whose which what where when why how one ones there here
myself yourself himself herself itself ourselves themselves something anything nothing everything
and or but nor so yet if because as than while though although until since unless whether
of in on at to for from with without by about into onto over under after before between through during
against among around along across behind beyond near off out up down upon within toward towards like
am is are was were be been being do does did doing done have has had having
will would shall should can could may might must not don't doesn't didn't isn't aren't wasn't weren't won't
can't couldn't wouldn't it's i'm i've i'd i'll you're you've you'll we're we've we'll they're that's there's
he's she's let's let very too also just even only more most much many such other another same own
then now again still well get gets got make makes made go goes went want need
"""
_OPENERS = "a an the and or but nor because than into onto my your our their every whose"

DETERMINERS = frozenset(_DETERMINERS.split())
FUNCTION_WORDS = DETERMINERS | frozenset(_OTHERS.split())

# Another word must follow these.
OPENERS = frozenset(_OPENERS.split())
