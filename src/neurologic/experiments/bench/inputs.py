"""The words and texts of the workloads: concept sets, a story for long prompts, and words to forbid.

Concepts and story are written for this benchmark. The forbidden words are nouns of lemminflect's dictionary,
drawn with a fixed seed: common and rare ones, of one token or several, the same for every model.
"""

from __future__ import annotations

import functools
import gzip
import random

from neurologic.logic.inflection import inflections

_CONCEPT_SETS = """
dog frisbee catch; horse field ride; girl guitar play; chef kitchen cook; boat river row; snow hill ski;
wall brush paint; crowd stage sing; boy ball kick; woman bench read; man ladder climb; cat window watch;
bird tree build; child sand dig; farmer cow milk; baker oven bake; team trophy win; student desk write;
bus street stop; train station wait; fish net swim; plane sky fly; doctor patient talk;
teacher board explain; guest table eat; mother baby hold; sailor rope pull; worker brick carry;
nurse bed sit; artist picture draw; couple beach walk; rider helmet wear; camel desert cross;
bear cave sleep; candle cake light; king crown own; garden flower water; lake stone throw;
forest mushroom find; market apple sell; bridge car drive; mountain tent camp; concert drum beat;
pool towel dry; fire wood burn; shop shoe try; letter friend send; barber hair cut; clock tower strike;
mechanic engine repair; sheep fence jump; kite wind lift; rain umbrella open; sofa blanket fold;
goat grass graze; dancer floor spin; waiter glass pour; tourist camera photograph; judge court speak;
player racket hit; neighbour hedge trim; fisherman harbour return; driver truck load;
scientist microscope study; monkey banana peel; bicycle path push; swimmer water dive; skater ice fall;
soldier flag salute; grandmother sock knit; tailor needle sew; potter clay shape
"""
CONCEPTS = tuple(tuple(concepts.split()) for concepts in _CONCEPT_SETS.split(";"))

# One sentence per line, so that a prompt can hold any number of them.
STORY = tuple(
    """
The harbour of the little town lies open to the west, and most of the year the wind comes in with the tide.
Forty years ago nearly every house along the quay belonged to somebody who fished for a living.
Today three boats are left, and two of them take visitors out to look for seals on summer afternoons.
The oldest of the fishermen, a quiet man with a grey beard, still mends his nets on the steps of the chapel.
He says that the sea has not changed half as much as the people who look at it.
In the winter the ferry comes only twice a week, on Mondays with the post and on Thursdays with the bread.
When a storm keeps it away, the school shares out what is left in its kitchen, and nobody goes hungry.
The school has one room, one stove and eleven pupils, the youngest of whom is five and the oldest fourteen.
Their teacher came for a single summer, eight years ago, and never found a good reason to leave.
She lets them count the birds on the rocks in spring and send the numbers to a museum on the mainland.
Once the museum wrote back that no other school in the country had kept such a record for so long.
The letter hangs in a frame beside the door, a little faded by now, and every new pupil has to read it aloud.
On the hill above the roofs stands the lighthouse, white with one red band, built in the year of the flood.
Nobody lives in it any more, for its lamp is switched on and off by a computer far away.
But the woman who used to keep it walks up every evening, checks the lock and wipes the salt from the windows.
She was asked by a newspaper why she went on with it, and she answered that somebody had to.
Behind the lighthouse a path leads along the cliffs to a bay that cannot be seen from any road.
Its sand is dark and coarse, and after a gale one can find pieces of old ships between the stones.
Children bring them home in buckets, and the carpenter makes chairs of the larger ones, which he never sells.
His workshop smells of tar and coffee, and whoever has an hour to spare sits there and tells him the news.
Last autumn the council had to decide whether to build a longer pier for bigger ships.
Some hoped for work and for younger families, others feared for the seals, the silence and the view.
The meeting lasted until midnight, and in the end they voted by putting beans into two jam jars.
There was one more white bean than there were black ones, and so the pier stayed as it was.
The losing side bought the winning side a barrel of beer, and the matter has not been mentioned since.
In April the first visitors come with their walking boots and their maps, and they ask when the shop is open.
The answer is that it is open when the door is, and that the owner can be found on the bench outside.
He sells rope, candles, tinned peaches, stamps and a book about the town that he has written himself.
It has ninety pages, and he is working on a second volume, which is to put right what the first got wrong.
If you ask him what is wrong with it, he pours you a cup of tea and begins with the very first line.
""".strip().splitlines()
)

_SEED = 2021  # the paper's year; any other would do
_SHORTEST, _LONGEST = 4, 10  # letters


def concept_words() -> frozenset[str]:
    """Return every form of every concept; no formula forbids any of them."""
    words = (concept for concepts in CONCEPTS for concept in concepts)
    return frozenset(form for word in words for form in inflections(word, "any"))


@functools.cache
def forbidden_words() -> tuple[str, ...]:
    """Return the words that formulas forbid, in the fixed order in which they take them."""
    words = sorted(_nouns() - concept_words())
    random.Random(_SEED).shuffle(words)
    return tuple(words)


def _nouns() -> set[str]:
    """Return the dictionary's nouns of 4 to 10 lower-case letters."""
    import lemminflect

    nouns = set()
    with gzip.open(lemminflect.config.inflection_lu_fn, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, category, _ = line.split(",", 2)
            plain = word.isascii() and word.isalpha() and word.islower()
            if category == "noun" and plain and _SHORTEST <= len(word) <= _LONGEST:
                nouns.add(word)
    return nouns
