"""Run the search inside Hugging Face's `generate` and `pipeline`: the texts of docs/guides/huggingface.md.

    python examples/huggingface.py [--translation FOLDER]

FOLDER holds an English–French translation model such as Helsinki-NLP/opus-mt-en-fr.
"""

from __future__ import annotations

import argparse

import transformers

import neurologic as nl


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--translation", metavar="FOLDER", help="an English–French translation model")
    arguments = parser.parse_args()
    lm = nl.load()
    batch(lm.model, lm.tokenizer)
    chat(lm.model, lm.tokenizer)
    if arguments.translation:
        translator = nl.load(arguments.translation)
        translate(translator.model, translator.tokenizer)


def batch(model: transformers.PreTrainedModel, tokenizer: transformers.PreTrainedTokenizerBase) -> None:
    """Two prompts, padded on the left, each with a formula of its own."""
    tokenizer.padding_side = "left"
    prompts = ["My dog loves to play with a frisbee. Yesterday", "Once upon a time there was a king who"]
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    output = model.generate(
        **inputs,
        custom_generate=nl.decoder(tokenizer, ["inflect(catch) & park & !ball", "(castle | palace) & !gold"]),
        num_beams=8,
        max_new_tokens=24,
        do_sample=False,
        return_dict_in_generate=True,
        output_scores=True,
    )
    for text, result in zip(
        tokenizer.batch_decode(output.sequences, skip_special_tokens=True), output.results, strict=True
    ):
        print(text, "|", *(f"{clause.text}: {clause.satisfied}" for clause in result.clauses))
    print(output.sequences_scores, output.beam_indices.shape, len(output.scores), output.scores[0].shape)


def chat(model: transformers.PreTrainedModel, tokenizer: transformers.PreTrainedTokenizerBase) -> None:
    """A conversation in a pipeline."""
    pipe = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer)
    message = {"role": "user", "content": "Write one sentence about the sea at night."}
    formula = "sea & inflect(star) & !inflect(moon) & !dark"
    (output,) = pipe(
        [message],
        custom_generate=nl.decoder(tokenizer, formula),
        num_beams=8,
        max_new_tokens=40,
        do_sample=False,
    )
    print(output["generated_text"][-1]["content"])


def translate(model: transformers.PreTrainedModel, tokenizer: transformers.PreTrainedTokenizerBase) -> None:
    """The same sentence without a formula and with one."""
    inputs = tokenizer(["The company has to keep the records for ten years."], return_tensors="pt")
    for formula in (None, "société & registres & !dossiers"):
        custom = nl.decoder(tokenizer, formula)
        ids = model.generate(**inputs, custom_generate=custom, num_beams=6, max_new_tokens=40)
        print(*tokenizer.batch_decode(ids, skip_special_tokens=True))


if __name__ == "__main__":
    main()
