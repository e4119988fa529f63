"""A masked language model that writes: a tiny BERT, trained here as BERT-Gen, obeys formulas.

    python examples/masked.py

A small grammar makes sentences such as "the young boy is throwing the red ball in the park."; the model
learns to write them from three of their words in any order. It is trained as UniLM-v2's pseudo-masked models
are: behind the sentence stands one mask token for every place, which sees the words, the sentence before its
place, and itself, so that one pass learns all places. Then it gets words, and formulas that ask for more than
the words; some of the words never came together in training. Takes about a minute on one core.
"""

from __future__ import annotations

import random
import time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

import neurologic as nl

PEOPLE = ["boy", "girl", "man", "woman", "farmer", "teacher", "dog"]
LOOKS = ["young", "old", "happy", "tired"]
ACTIONS = {  # each with its third person, its participle, and what it is done with
    "throw": ("throws", "throwing", ["ball", "frisbee", "stick", "stone"]),
    "catch": ("catches", "catching", ["ball", "frisbee", "fish"]),
    "carry": ("carries", "carrying", ["box", "stick", "stone", "basket"]),
    "wash": ("washes", "washing", ["car", "bike", "window"]),
    "paint": ("paints", "painting", ["fence", "window", "box", "bike"]),
    "find": ("finds", "finding", ["ball", "basket", "stone", "fish"]),
}
COLOURS = ["red", "green", "blue", "white"]
PLACES = ["in the park", "on the beach", "in the garden", "at the lake", "in the street", "near the house"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, _, CLS, SEP, MASK = range(5)
HELD_OUT = [{"fish", "teacher", "lake"}, {"girl", "fence", "street"}, {"stick", "carry", "old"}]


def sentence(draw: random.Random) -> tuple[list[str], str]:
    """Three words that stand for a sentence, and the sentence."""
    person, verb, place = draw.choice(PEOPLE), draw.choice([*ACTIONS]), draw.choice(PLACES)
    third, participle, things = ACTIONS[verb]
    thing, words = draw.choice(things), ["the"]
    words += [draw.choice(LOOKS)] * (draw.random() < 0.5) + [person]
    words += [*draw.choice([[third], ["is", participle]]), "the"]
    words += [draw.choice(COLOURS)] * (draw.random() < 0.5) + [thing]
    words += place.split() * (draw.random() < 0.7)
    known = [person, verb, thing, *(word for word in words if word in (*LOOKS, *COLOURS, place.split()[-1]))]
    return draw.sample(known, 3), " ".join(words) + " ."


def corpus(count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of words and sentence, without those that are kept for the test."""
    draw, pairs = random.Random(seed), []
    while len(pairs) < count:
        words, text = sentence(draw)
        if not any(kept <= {*words, *text.split()} for kept in HELD_OUT):
            pairs.append((" ".join(words), text))
    return pairs


def word_tokenizer(pairs: list[tuple[str, str]]) -> PreTrainedTokenizerFast:
    """BERT's kind of tokenizer, with the corpus' words as its pieces: [CLS] words [SEP]."""
    words = sorted({word for pair in pairs for text in pair for word in text.split()})
    pieces = {piece: number for number, piece in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece("##")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    names = dict(
        zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True)
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def pseudo_masked(sources: list[list[int]], targets: list[list[int]]) -> dict[str, torch.Tensor]:
    """A batch: source, target and one mask token per place of the target, with who sees whom.

    All sources have the same length. The arguments are those of BERT's forward pass.
    """
    length, width = len(sources[0]), max(map(len, targets))
    padded = torch.tensor([ids + [PAD] * (width - len(ids)) for ids in targets])  # [rows, width]
    ids = torch.cat([torch.tensor(sources), padded, torch.full_like(padded, MASK)], dim=1)
    place = torch.cat([torch.arange(length + width), torch.arange(length, length + width)])  # of each column
    is_mask = torch.arange(len(place)) >= length + width
    query, key = place[:, None], place[None, :]
    # The source sees itself, a written token all up to its own place, a mask token all before its place.
    sees = torch.where(query < length, key < length, (key < query) | (~is_mask[:, None] & (key == query)))
    sees = (sees & ~is_mask[None, :]) | torch.eye(len(place), dtype=torch.bool)
    return {
        "input_ids": ids,
        "position_ids": place.expand(len(ids), -1),
        "token_type_ids": (place >= length).long().expand(len(ids), -1),
        "attention_mask": torch.where(sees, 0.0, torch.finfo(torch.float32).min).expand(len(ids), 1, -1, -1),
        "labels": torch.cat(
            [torch.full_like(ids[:, : length + width], -100), padded.where(padded > 0, -100)], 1
        ),
    }


def train(
    tokenizer: PreTrainedTokenizerFast, pairs: list[tuple[str, str]], steps: int = 600
) -> BertForMaskedLM:
    """BERT from scratch; the loss is that of the mask tokens."""
    torch.manual_seed(0)
    size = {"hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 192}
    plain = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "max_position_embeddings": 32}
    config = BertConfig(vocab_size=len(tokenizer), **size, **plain)
    model = BertForMaskedLM(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-3, total_steps=steps)
    draw = random.Random(1)
    for step in range(1, steps + 1):
        batch = draw.sample(pairs, 32)
        sources = [tokenizer(words)["input_ids"] for words, _ in batch]
        targets = [tokenizer(text, add_special_tokens=False)["input_ids"] + [SEP] for _, text in batch]
        loss = model(**pseudo_masked(sources, targets)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}: {loss.item():.3f} nats per token")
    return model


REQUESTS = [  # what the model is told, and what the text is asked for
    ("fish teacher lake", "fish & teacher & lake & inflect(catch)"),
    ("girl fence street", "girl & fence & street & (red | blue)"),
    ("stick carry old", "stick & inflect(carry) & old & (woman | farmer) & !is"),
    ("bike wash dog", "bike & inflect(wash) & dog & at_least(2, young, white, beach)"),
    ("boy ball park", "boy & ball & (happy | tired) & (!park | green) & !inflect(catch)"),
    ("man catch frisbee", "man & inflect(catch) & frisbee & garden & !old"),
]


def main() -> None:
    start = time.perf_counter()
    pairs = corpus(8000, seed=0)
    tokenizer = word_tokenizer(pairs)
    lm = nl.wrap(train(tokenizer, pairs), tokenizer)
    print(f"trained in {time.perf_counter() - start:.0f} s\n")
    for decoder in ("beam", "neurologic"):
        held = asked = 0
        for words, formula in REQUESTS:
            result = lm.generate(words, formula, decoder=decoder, reduce=True, num_beams=8, max_new_tokens=20)
            held += sum(clause.satisfied for clause in result.clauses)
            asked += len(result.clauses)
            unmet = f"   lacks {', '.join(result.unmet)}" if result.unmet else ""
            print(f"{decoder:10}  {'✓' if result.satisfied else '✗'}  {words:18}  {result.text}{unmet}")
        print(f"{decoder}: {held} of {asked} clauses hold\n")


if __name__ == "__main__":
    main()
