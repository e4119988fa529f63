"""Small tokenizers of every kind, made in a moment: the kinds whose real models are not at hand."""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, doesn't it?",
    "She sells sea shells; the shells she sells are sea-shells, I'm sure!",
    "Peter Piper's peppers – picked, pickled & packed – cost €3.50 (or 4,20 $).",
    "Ein Jäger aus Kurpfalz, der reitet durch den grünen Wald …",
    "Le médecin a demandé à l'infirmière « où est le garçon ? »",
    "東京都に住んでいます。我的iPhone很好。 Привет, мир! สวัสดี",
    "def main():\n\tprint('hello  world')\n",
    "A dog runs. Dogs running, the runner ran; rerun the run 123 times.",
] * 4


def gpt2_like() -> Any:
    """Byte-level BPE: GPT-2, Llama 3, Qwen; with an added token that holds spaces and one in the table."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>")
    wrapped.add_tokens(["<my tag>", "<think>", "<|marker|>"])
    return wrapped


def t5_like() -> Any:
    """Unigram pieces with a Metaspace decoder: T5, mBART, NLLB, Pegasus."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300,
        special_tokens=["<pad>", "</s>", "<unk>", "<extra_id_0>"],
        unk_token="<unk>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.model = _in_fixed_order(tokenizer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def _in_fixed_order(tokenizer: Tokenizer) -> models.Unigram:
    """The pieces with the same ids in every run: the trainer orders equally frequent ones by chance."""
    trained = json.loads(tokenizer.to_str())["model"]
    specials, pieces = trained["vocab"][:4], trained["vocab"][4:]
    pieces = sorted(
        ((piece, round(score, 6)) for piece, score in pieces), key=lambda scored: (-scored[1], scored[0])
    )
    return models.Unigram([*map(tuple, specials), *pieces], unk_id=trained["unk_id"], byte_fallback=False)


def llama2_like(*, strips: bool = True) -> Any:
    """SentencePiece BPE with single bytes to fall back on: Llama 2 (strips), Gemma (does not)."""
    words = [
        "▁",
        "▁▁",
        "▁the",
        "▁dog",
        "dog",
        "▁run",
        "ning",
        "s",
        "a",
        "é",
        "▁a",
        "▁été",
        "é▁a",
        ".",
        "'",
        "th",
    ]
    words += ["e", "d", "o", "g", "r", "u", "n", "t", "h", "i", "<tag>"]
    specials = ["<unk>", "<s>", "</s>"]
    tokens = specials + [f"<0x{byte:02X}>" for byte in range(256)] + words
    tokenizer = Tokenizer(
        models.BPE(
            vocab={token: index for index, token in enumerate(tokens)},
            merges=[("t", "h")],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
        if strips
        else [normalizers.Replace(" ", "▁")]
    )
    steps: list[Any] = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if strips else steps)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )


def bert_like() -> Any:
    """WordPiece with "##"."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece("##")
    trainer = trainers.WordPieceTrainer(
        vocab_size=400, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]"], show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )


def gpt1_like() -> Any:
    """BPE whose words end in "</w>", which decodes to the space after them: the first GPT."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")


def word_level() -> Any:
    """Whole words, no decoder."""
    words = ["[UNK]", "the", "dog", "runs", "a", "cat", "."]
    tokenizer = Tokenizer(
        models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]")


TOKENIZERS = {
    "gpt2": gpt2_like,
    "t5": t5_like,
    "llama2": llama2_like,
    "gemma": lambda: llama2_like(strips=False),
    "bert": bert_like,
    "gpt1": gpt1_like,
    "words": word_level,
}
