"""Small masked models of many families with random weights, and a tokenizer with [MASK]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

SIZE = 61  # of the vocabulary
WINDOW = 3  # of ModernBERT's local layers, to either side
MASK = 4

_BERT = {
    "vocab_size": SIZE,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 3,
    "initializer_range": 0.3,  # tokens, places and types matter, as they do in a trained model
}
_ROBERTA = {**_BERT, "pad_token_id": 1, "type_vocab_size": 1}
_MODERN = {**_BERT, "cls_token_id": 2, "sep_token_id": 3, "local_attention": 2 * WINDOW}

# Keys and values are kept: two columns per step.
CACHED: dict[str, Callable[[], Any]] = {
    "bert": lambda: hf.BertForMaskedLM(hf.BertConfig(**_BERT)),
    "unilm, six types": lambda: hf.BertForMaskedLM(hf.BertConfig(**_BERT, type_vocab_size=6)),
    "roberta": lambda: hf.RobertaForMaskedLM(hf.RobertaConfig(**_ROBERTA)),
    "xlm-roberta": lambda: hf.XLMRobertaForMaskedLM(hf.XLMRobertaConfig(**_ROBERTA)),
    "camembert": lambda: hf.CamembertForMaskedLM(hf.CamembertConfig(**_ROBERTA)),
    "data2vec": lambda: hf.Data2VecTextForMaskedLM(hf.Data2VecTextConfig(**_ROBERTA)),
    "electra": lambda: hf.ElectraForMaskedLM(hf.ElectraConfig(**_BERT, embedding_size=24)),
    "albert, shared layers": lambda: hf.AlbertForMaskedLM(hf.AlbertConfig(**_BERT, embedding_size=24)),
    "distilbert": lambda: hf.DistilBertForMaskedLM(
        hf.DistilBertConfig(
            vocab_size=SIZE,
            dim=32,
            n_layers=2,
            n_heads=4,
            hidden_dim=48,
            max_position_embeddings=40,
            initializer_range=0.3,
        )
    ),
    "ernie": lambda: hf.ErnieForMaskedLM(hf.ErnieConfig(**_BERT)),
    "modernbert, local layers": lambda: hf.ModernBertForMaskedLM(
        hf.ModernBertConfig(**_MODERN, global_attn_every_n_layers=2)
    ),
    "eurobert": lambda: hf.EuroBertForMaskedLM(
        hf.EuroBertConfig(**_BERT, num_key_value_heads=2, mask_token_id=MASK)
    ),
    "nomic-bert": lambda: hf.NomicBertForMaskedLM(hf.NomicBertConfig(**_BERT)),
}

# Attention code of their own, or relative positions: every step runs the whole text.
UNCACHED: dict[str, Callable[[], Any]] = {
    "mpnet": lambda: hf.MPNetForMaskedLM(hf.MPNetConfig(**_ROBERTA)),
    "bert, eager": lambda: hf.BertForMaskedLM._from_config(
        hf.BertConfig(**_BERT), attn_implementation="eager"
    ),
    "megatron-bert": lambda: hf.MegatronBertForMaskedLM(hf.MegatronBertConfig(**_BERT)),
    "rembert": lambda: hf.RemBertForMaskedLM(
        hf.RemBertConfig(**_BERT, input_embedding_size=16, output_embedding_size=16)
    ),
    "roformer": lambda: hf.RoFormerForMaskedLM(hf.RoFormerConfig(**_BERT, embedding_size=32)),
    "squeezebert": lambda: hf.SqueezeBertForMaskedLM(hf.SqueezeBertConfig(**_BERT, embedding_size=32)),
    "big_bird, full": lambda: hf.BigBirdForMaskedLM(
        hf.BigBirdConfig(**_BERT, sep_token_id=3, attention_type="original_full")
    ),
}

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "deberta": (lambda: hf.DebertaForMaskedLM(hf.DebertaConfig(**_BERT)), "does not follow"),
    "deberta-v2": (
        lambda: hf.DebertaV2ForMaskedLM(hf.DebertaV2Config(**_BERT, relative_attention=True)),
        "does not follow",
    ),
    "mobilebert": (
        lambda: hf.MobileBertForMaskedLM(
            hf.MobileBertConfig(**_BERT, intra_bottleneck_size=32, embedding_size=32)
        ),
        "in spite of the mask",
    ),
    "convbert": (
        lambda: hf.ConvBertForMaskedLM(hf.ConvBertConfig(**_BERT, embedding_size=32)),
        "in spite of the mask",
    ),
    "fnet": (
        lambda: hf.FNetForMaskedLM(
            hf.FNetConfig(
                vocab_size=SIZE,
                hidden_size=32,
                num_hidden_layers=2,
                intermediate_size=48,
                bos_token_id=2,
                eos_token_id=3,
            )
        ),
        "takes no attention mask",
    ),
    "big_bird, sparse": (
        lambda: hf.BigBirdForMaskedLM(hf.BigBirdConfig(**_BERT, sep_token_id=3)),
        "block-sparse",
    ),
    "longformer": (
        lambda: hf.LongformerForMaskedLM(hf.LongformerConfig(**_ROBERTA, attention_window=4, sep_token_id=3)),
        "does not follow",
    ),
    "layoutlm": (lambda: hf.LayoutLMForMaskedLM(hf.LayoutLMConfig(**_BERT)), "does not follow"),
}


def words_tokenizer(*words: str) -> Any:
    """WordPiece over a few words, with BERT's special tokens: [CLS] source [SEP]."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    tokenizer = Tokenizer(
        models.WordPiece({token: number for number, token in enumerate(tokens)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece("##")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
