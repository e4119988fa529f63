"""Everyday texts: what people ask a model to write, with the words that it must and must not use.

`task_file` reads the tasks, which are part of the package; `mark_metrics` counts the texts that show a mark
of a bad one; `task` combines them into an experiment. The tasks are our own. Half of them are for tuning and
half for reporting: a setting chosen on one half is reported on the other.
"""

from __future__ import annotations

from neurologic.experiments.tasks.everyday.task import Everyday
from neurologic.experiments.tasks.everyday.task_file import EverydayTask, read_tasks

__all__ = ["Everyday", "EverydayTask", "read_tasks"]
