"""Tasks: what a model is asked, what its text must contain, how it is scored; a folder each.

Four are the paper's; everyday texts are our own.

Tasks read data, make prompts and formulas, and score outputs (see `base`). They know nothing of search.
"""

from neurologic.experiments.tasks.base import Item, Option, Task
from neurologic.experiments.tasks.commongen import CommonGen
from neurologic.experiments.tasks.dialogue import Dialogue
from neurologic.experiments.tasks.everyday import Everyday
from neurologic.experiments.tasks.recipes import Recipes
from neurologic.experiments.tasks.winomt import WinoMT

__all__ = ["TASKS", "Item", "Option", "Task"]

TASKS: dict[str, Task] = {
    task.name: task for task in (CommonGen(), Recipes(), Dialogue(), WinoMT(), Everyday())
}
