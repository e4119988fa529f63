"""Check on real models that the decoder `beam` is Hugging Face's beam search, token for token.

    python examples/same_as_huggingface.py --model smollm2 --model path/to/opus-mt-en-fr

Every prompt is run with the common settings alone and in batches, and alone with one further setting in turn
(`--all`: with all of them). Where two runs differ, the step at which their beams part is looked up: batches
are padded and computed in other shapes, which moves scores by about 1e-5, so candidates that lie closer
together than `--near` may change places. Prints a table and exits with 1 if a difference is not of that kind.

Of texts that read the same only the best is compared.
"""

from __future__ import annotations

import argparse
import io
import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import track
from transformers.utils import logging

import neurologic as nl
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.result import Result
from neurologic.search.trace import Trace

# For models with a chat template, as one user message each.
QUESTIONS = """
What is the capital of Portugal?
Write one sentence about a lighthouse in a storm.
Explain photosynthesis to a child in two sentences.
Give me three names for a bakery.
How do I boil an egg?
Translate "good morning" into Spanish.
Why is the sky blue?
Write a short poem about autumn leaves.
What should I pack for a weekend in the mountains?
List four musical instruments.
Is a tomato a fruit or a vegetable?
Write a polite email that declines an invitation.
What does a carpenter do?
Tell me a joke about a penguin.
How many legs does a spider have?
Suggest a title for a story about a lost key.
What is the difference between rain and snow?
Describe the smell of fresh bread.
Who wrote Hamlet?
Write a slogan for a bicycle shop.
How can I fall asleep more easily?
Name two rivers in Africa.
Write one sentence with the words dog, park and frisbee.
What is 12 plus 30?
Give a synonym for happy.
What happens when water freezes?
Write the first line of a detective novel.
Which planets have rings?
How do bees make honey?
Write a thank-you note to a neighbour who fed my cat.
What is a good way to learn a new language?
Summarise the story of Little Red Riding Hood.
Write a Python function that adds two numbers.
What colour do you get when you mix blue and yellow?
Give one reason to visit Iceland.
Rewrite in the past tense: She walks to school.
""".strip().splitlines()

# For any causal model, continued as they are; the last ones end inside a word, with a space, and in code.
OPENINGS = """
The best way to cook rice is
Once upon a time, in a small village by the sea,
The children went to the park and
My grandmother always told me that
In 1969, two astronauts
The recipe calls for two cups of flour,
Scientists have discovered that
She opened the door and saw
The main cause of the delay was
To whom it may concern:
The train to Edinburgh leaves at
When the music stopped, everyone
Water boils at 100 degrees
The patient was admitted with
The court decided that the contract
He had never seen such a
Monday, Tuesday, Wednesday,
1, 1, 2, 3, 5, 8,
The opposite of hot is
Dear Sir or Madam,
The quick brown fox
Roses are red,
A good leader is someone who
The museum is open from
Although it was raining,
If you want to grow tomatoes, you
The dog barked at the post
Le chat est sur la
It was the winter of
def add(a, b):
""".strip().splitlines()

# For translation models.
SENTENCES = """
The committee will meet again next Thursday.
Please switch off your phone before the concert starts.
My sister works as a nurse in a large hospital.
The contract may be terminated by either party.
Add a pinch of salt and stir the soup.
The goalkeeper saved the penalty in the last minute.
I left my umbrella on the bus this morning.
The new version of the software fixes several bugs.
Children under twelve must be accompanied by an adult.
She has been learning the violin for three years.
The price of coffee has risen sharply.
Where is the nearest pharmacy?
He never answers his emails on Sunday.
The bridge was closed because of the strong wind.
We would like to book a table for four people.
The experiment failed because the sample was contaminated.
Turn left at the traffic lights and go straight on.
The bank refused to grant them a loan.
Our neighbours are moving to Canada in the spring.
This medicine should be taken twice a day with food.
The museum has bought two paintings by a young artist.
It is forbidden to feed the animals.
The lawyer advised his client to remain silent.
Do you want to come with us to the beach?
The engine makes a strange noise when it is cold.
They got married in a small church by the lake.
The report was published at the end of the year.
I would rather have tea than coffee.
The thieves broke a window and took the laptop.
The mayor opened the new swimming pool yesterday.
Save the file before you close the window.
The harvest was poor after the long drought.
What time does the last train leave?
The doctor told him to drink less wine.
Nobody knows who wrote this letter.
The teacher gave back the essays.
The flight was delayed by two hours.
You should always wear a helmet when you ride a bicycle.
The river flooded the cellar of the old house.
The jury found the defendant not guilty.
Peel the potatoes and cut them into small cubes.
The company made a profit for the first time.
She forgot her password and had to reset it.
The play was a great success.
They are looking for a flat near the station.
The patient complained of a sharp pain in his chest.
The storm tore the roof off the barn.
Our team lost the match but won the cup.
The dictionary has more than a thousand pages.
He promised that he would be home before midnight.
The judge postponed the hearing until June.
My keys must be somewhere in this room.
""".strip().splitlines()

# For T5, which is given what it is trained on: texts to be put into few words.
PASSAGES = """
The user asked for a script that renames all photos in a folder by the date on which they were taken.
We changed the login page so that an expired password leads to a clear message instead of an empty screen.
The tests fail on Windows because the paths are joined with slashes. We replaced them and added a test.
A family of four visited the zoo on Sunday. The children liked the penguins best and fed the goats.
The city council voted to close the old bridge to cars and to build a new one for bicycles and trams.
Heat the oil in a pan, fry the onions until they are golden, add the rice and pour in the hot stock.
The search over all customers took nine seconds. With an index on the name it takes twenty milliseconds.
The museum shows two hundred drawings by children from all over the country until the end of May.
Our nightly backup did not run for three days since the disk was full, and nobody was told about it.
After a long drought the farmers of the valley hope that the rain of last week will save the harvest.
The parser loops for ever if a file ends inside a comment; it now raises an error with the line number.
She trained for two years, ran her first marathon in the rain, and finished in just under four hours.
""".strip().splitlines()


@dataclass(frozen=True)
class Prompt:
    """A prompt, and whether it is continued as it is."""

    text: str
    raw: bool = False

    def ids(self, tokenizer: Any) -> list[int]:
        if self.raw:
            return list(tokenizer(self.text)["input_ids"])
        message = [{"role": "user", "content": self.text}]
        return list(tokenizer.apply_chat_template(message, add_generation_prompt=True, return_dict=False))


def prompts_for(lm: ConstrainedModel) -> list[Prompt]:
    if lm.model.config.is_encoder_decoder:
        texts = PASSAGES if lm.model.config.model_type == "t5" else SENTENCES
        return [Prompt(text, raw=True) for text in texts]
    questions = [Prompt(text) for text in QUESTIONS] if lm.tokenizer.chat_template else []
    openings = [Prompt(text, raw=True) for text in OPENINGS]
    # In turn, so that --limit takes some of both.
    pairs = itertools.zip_longest(questions, openings)
    return [prompt for pair in pairs for prompt in pair if prompt is not None]


def variations(lm: ConstrainedModel, common: Mapping[str, Any], written: Sequence[int]) -> dict[str, dict]:
    """Settings to try beside the common ones, by name; `written` is what the model writes with those."""
    several = {
        "num_beams=2": {"num_beams": 2},
        "num_beams=8": {"num_beams": 8},
        "length_penalty=0": {"length_penalty": 0.0},
        "length_penalty=2": {"length_penalty": 2.0},
        "early_stopping=True": {"early_stopping": True},
        'early_stopping="never"': {"early_stopping": "never"},
        "min_new_tokens": {"min_new_tokens": common["max_new_tokens"] * 2 // 3},
        "repetition_penalty=1.3": {"repetition_penalty": 1.3},
        # Its own first token and a pair of its tokens, so that it has to write something else.
        "bad_words_ids": {"bad_words_ids": [list(written[:1]), list(written[2:4]) or list(written[:1])]},
        "num_return_sequences": {"num_return_sequences": common["num_beams"]},
        "max_new_tokens=6": {"max_new_tokens": 6},
        "no_repeat_ngram_size=2": {"no_repeat_ngram_size": 2},
    }
    return {name: {**common, **settings} for name, settings in several.items()}


# --- The two searches ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """Tokens up to the end token, and their normalised score."""

    tokens: tuple[int, ...]
    score: float


def ours(
    lm: ConstrainedModel, prompts: Sequence[Prompt], settings: Mapping[str, Any], trace: Trace | None = None
) -> list[list[Text]]:
    """Per prompt the texts of the decoder `beam`, all prompts in one batch."""
    results: list[Result] = lm.generate(
        [prompt.text for prompt in prompts],
        raw=prompts[0].raw,
        decoder="beam",
        batch_size=len(prompts),
        trace=trace,
        **settings,
    )
    return [[Text(one.tokens, one.score) for one in (result, *result.others)] for result in results]


def theirs(
    lm: ConstrainedModel, prompts: Sequence[Prompt], settings: Mapping[str, Any], spies: Sequence[Any] = ()
) -> list[list[Text]]:
    """Per prompt the texts of `model.generate`, all prompts in one batch."""
    rows = [prompt.ids(lm.tokenizer) for prompt in prompts]
    width = max(map(len, rows))
    pad = lm.tokenizer.pad_token_id
    seq2seq = lm.model.config.is_encoder_decoder
    ids, mask = [], []
    for row in rows:
        padding, ones = [pad] * (width - len(row)), [1] * len(row)
        zeros = [0] * len(padding)
        ids.append([*row, *padding] if seq2seq else [*padding, *row])
        mask.append([*ones, *zeros] if seq2seq else [*zeros, *ones])
    output = lm.model.generate(
        input_ids=torch.tensor(ids),
        attention_mask=torch.tensor(mask),
        do_sample=False,
        return_dict_in_generate=True,
        output_scores=True,
        logits_processor=list(spies),
        **settings,
    )
    start = 1 if seq2seq else width
    texts = [
        Text(until_end(lm, tokens[start:]), score)
        for tokens, score in zip(output.sequences.tolist(), output.sequences_scores.tolist(), strict=True)
    ]
    each = len(texts) // len(prompts)
    return [different(lm, texts[place : place + each]) for place in range(0, len(texts), each)]


def until_end(lm: ConstrainedModel, tokens: Sequence[int]) -> tuple[int, ...]:
    """Without the padding after the first end token."""
    declared = lm.model.generation_config.eos_token_id
    ends = declared if isinstance(declared, list) else [declared]
    stop = next((place + 1 for place, token in enumerate(tokens) if token in ends), len(tokens))
    return tuple(tokens[:stop])


def different(lm: ConstrainedModel, texts: Sequence[Text]) -> list[Text]:
    """Of texts that read the same the best only, which is what `lm.generate` returns."""
    kept: dict[str, Text] = {}
    for text in texts:
        kept.setdefault(reading(lm, text), text)
    return list(kept.values())


def reading(lm: ConstrainedModel, text: Text) -> str:
    return lm.tokenizer.decode(text.tokens, skip_special_tokens=True).strip()


# --- Where they part -------------------------------------------------------------------------------


class OurSteps(Trace):
    """Per step of one input: the texts under way, and the scores of all that were looked at."""

    def __init__(self, number: int) -> None:
        super().__init__(io.StringIO())
        self.number = number
        self.beams: list[set[tuple[int, ...]]] = []
        self.considered: list[dict[tuple[int, ...], float]] = []

    def step(self, number: int, beam: Any, selection: Any) -> None:
        if number != self.number:
            return
        self.beams.append({one.tokens for one in beam.hypotheses})
        self.considered.append(
            {(*beam.hypotheses[one.row].tokens, one.token): one.logprob for one in selection.considered}
        )


class TheirSteps:
    """Per step of one input: the texts under way, as a logits processor sees them."""

    def __init__(self, number: int, num_beams: int) -> None:
        self.rows = slice(number * num_beams, (number + 1) * num_beams)
        self.start = 0
        self.beams: list[set[tuple[int, ...]]] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        self.start = self.start or input_ids.shape[-1]
        self.beams.append({tuple(row) for row in input_ids[self.rows, self.start :].tolist()})
        return scores


def gap(lm: ConstrainedModel, prompts: Sequence[Prompt], number: int, settings: Mapping[str, Any]) -> float:
    """How far apart the candidates are between which two searches choose differently, in nats.

    That is, at the first step after which the texts under way are not the same; where they are the same to
    the end, the difference of the final texts' scores.
    """
    our_steps, their_steps = OurSteps(number), TheirSteps(number, settings["num_beams"])
    our_texts = ours(lm, prompts, settings, trace=our_steps)[number]
    their_texts = theirs(lm, prompts, settings, spies=[their_steps])[number]
    for step, (our_beam, their_beam) in enumerate(zip(our_steps.beams, their_steps.beams, strict=False)):
        if our_beam != their_beam:
            scores = our_steps.considered[step - 1]
            chosen = min(scores[one] for one in our_beam - their_beam)
            passed_over = max(scores.get(one, float("-inf")) for one in their_beam - our_beam)
            return abs(chosen - passed_over)
    return max(
        (abs(a.score - b.score) for a, b in zip(our_texts, their_texts, strict=False)), default=float("inf")
    )


# --- Comparing -------------------------------------------------------------------------------------


class Comparison:
    """Counts equal texts, near-ties and differences, and shows the latter two as they come."""

    def __init__(self, lm: ConstrainedModel, near: float) -> None:
        self.lm = lm
        self.near = near
        self.counts: dict[str, Counter[str]] = {}

    def compare(self, name: str, prompts: Sequence[Prompt], settings: Mapping[str, Any]) -> list[list[Text]]:
        """Run both searches on one batch; returns our texts."""
        counts = self.counts.setdefault(name, Counter())
        our_texts, their_texts = ours(self.lm, prompts, settings), theirs(self.lm, prompts, settings)
        for number, (mine, other) in enumerate(zip(our_texts, their_texts, strict=True)):
            if [text.tokens for text in mine] == [text.tokens for text in other]:
                counts["equal"] += 1
                continue
            distance = gap(self.lm, prompts, number, settings)
            kind = "near-tie" if distance < self.near else "different"
            counts[kind] += 1
            self.show(f"{kind} ({name}), {distance:.2g} nats apart: {prompts[number].text}", mine, other)
        return our_texts

    def show(self, head: str, mine: Sequence[Text], other: Sequence[Text]) -> None:
        print(head, file=sys.stderr)
        for whose, texts in (("ours", mine), ("theirs", other)):
            for text in texts:
                print(f"  {whose:6} {text.score:.6f} {reading(self.lm, text)!r}", file=sys.stderr)


def batches(prompts: Sequence[Prompt], size: int) -> Iterator[list[Prompt]]:
    for raw in (False, True):
        alike = [prompt for prompt in prompts if prompt.raw is raw]
        for start in range(0, len(alike), size):
            yield alike[start : start + size]


def compare_all(comparison: Comparison, prompts: Sequence[Prompt], arguments: argparse.Namespace) -> None:
    common = {
        "num_beams": arguments.num_beams,
        "max_new_tokens": arguments.max_new_tokens,
        "length_penalty": 1.0,
        "early_stopping": False,
    }
    console = Console(stderr=True)
    for place, prompt in enumerate(track(prompts, "one at a time", console=console)):
        [[best]] = comparison.compare("the common ones", [prompt], common)
        several = variations(comparison.lm, common, best.tokens)
        chosen = several if arguments.all else [list(several)[place % len(several)]]
        for name in chosen:
            comparison.compare(name, [prompt], several[name])
    for batch in track(list(batches(prompts, arguments.batch_size)), "in batches", console=console):
        comparison.compare(f"the common ones, {arguments.batch_size} a batch", batch, common)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", action="append", help="smollm2, a folder or a hub id; may be repeated")
    parser.add_argument("--num-beams", type=int, default=4)
    parser.add_argument("--max-new-tokens", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--limit", type=int, help="so many prompts of each model")
    parser.add_argument("--all", action="store_true", help="every prompt with every setting")
    parser.add_argument("--near", type=float, default=1e-4, help="a near-tie is closer than this, in nats")
    parser.add_argument("--threads", type=int, help="threads that torch may use")
    arguments = parser.parse_args()

    logging.set_verbosity_error()  # no word on every max_new_tokens beside a config's own max_length
    total: Counter[str] = Counter()
    print("| model | settings | prompts | equal | near-ties | different |")
    print("| --- | --- | --: | --: | --: | --: |")
    for model in arguments.model or ["smollm2"]:
        lm = nl.load(model, threads=arguments.threads)
        comparison = Comparison(lm, arguments.near)
        compare_all(comparison, prompts_for(lm)[: arguments.limit], arguments)
        for name, counts in comparison.counts.items():
            print(table_row(Path(model).name, name, counts), flush=True)
            total += counts
    print(table_row("all", "", total))
    sys.exit(bool(total["different"]))


def table_row(model: str, settings: str, counts: Counter[str]) -> str:
    figures = (counts.total(), counts["equal"], counts["near-tie"], counts["different"])
    return f"| {model} | {settings} | {' | '.join(map(str, figures))} |"


if __name__ == "__main__":
    main()
