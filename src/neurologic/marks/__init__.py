"""Marks: the faults of a text that show without a reader, such as a list, an echo or a cut-off end.

A formula says which phrases a text has; marks say whether it reads as if nobody had meant it. Each file holds
the detector of one kind; `kinds` lists them, `reading` is what they all read. Pure Python, no models. The
detectors know words and punctuation, not grammar or sense. They would rather miss a fault than blame a good
text, so a text without marks may still be poor.
"""

from neurologic.marks.kinds import MARKS, Kind, Mark, find_marks

__all__ = ["MARKS", "Kind", "Mark", "find_marks"]
