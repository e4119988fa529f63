"""Tell which models neurologic can run, and why it refuses others."""

from __future__ import annotations

from typing import Any

from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

from neurologic.errors import ModelError
from neurologic.models.internals.caches import can_move_rows
from neurologic.models.internals.calling_convention import cache_argument

# These models do more than "text in, scores of the next token out".
_REFUSED = {
    "blt": "a second model cuts its bytes into patches, which the caches of transformers do not hold",
    "cpmant": "it puts a prompt of its own before every text, which its cache does not know",
    "git": "it describes pictures, and counts padding as text",
    "moshi": "it speaks: its text only makes sense beside the audio that it writes at the same time",
    "musicgen": "it writes audio",
    "musicgen_melody": "it writes audio",
    "paligemma": "it reads a picture and its prompt as a whole, in both directions",
    "prophetnet": "it predicts several tokens at once",
    "rag": "it retrieves documents while it generates",
    "reformer": "its hashed attention needs texts of certain lengths, and its cache cannot be reordered",
    "xlm": "it predicts tokens by a mask",
    "xlnet": "it predicts tokens in permuted order",
}


def require_supported(model: Any) -> None:
    """Raise `ModelError` with the reason if neurologic cannot run a model."""
    name = type(model).__name__
    config = getattr(model, "config", None)
    if config is None or not hasattr(model, "forward"):
        raise ModelError(f"{name} is not a Hugging Face model (it has no config)")
    reason = _REFUSED.get(str(getattr(config, "model_type", "")))
    if reason is not None:
        raise ModelError(f"{name} is not supported: {reason}")
    if is_masked(model):
        return  # `masked.probe` tries everything else that it needs
    can_generate = getattr(model, "can_generate", None)
    if can_generate is None or not can_generate():
        raise ModelError(
            f"{name} has no head that generates text (it is an encoder or a bare model); "
            "load it with AutoModelForCausalLM or AutoModelForSeq2SeqLM if the checkpoint has one"
        )
    if getattr(model, "main_input_name", "input_ids") != "input_ids":
        raise ModelError(f"{name} takes {model.main_input_name} as its input; neurologic supports only text")
    if not config.is_encoder_decoder and not _sees_only_the_past(model):
        raise ModelError(
            f"{name} is a bidirectional encoder here: it sees the tokens that it is to predict. "
            "A checkpoint trained to generate has is_decoder=true in its config"
        )
    parts = (config, getattr(config, "encoder", None), getattr(config, "decoder", None))
    if any(getattr(part, "attention_type", None) == "block_sparse" for part in parts):
        raise ModelError(
            f"{name} has block-sparse attention, which the first short text disables permanently, so that "
            'scores depend on earlier texts; load it with attention_type="original_full"'
        )
    if config.is_encoder_decoder and (cache_argument(model) is None or not can_move_rows(model)):
        raise ModelError(
            f"{name} has no cache with rows that can be moved, which encoder–decoder models need here"
        )


def auto_class(config: Any) -> Any:
    """Return the class that loads a checkpoint with the head its config names."""
    if config.is_encoder_decoder:
        return AutoModelForSeq2SeqLM
    heads = getattr(config, "architectures", None) or ()
    # A BERT trained as a decoder has the flag, whatever head its checkpoint names.
    is_decoder = getattr(config, "is_decoder", False)
    if not is_decoder and any(head.endswith(("ForMaskedLM", "ForPreTraining")) for head in heads):
        return AutoModelForMaskedLM
    return AutoModelForCausalLM


def is_masked(model: Any) -> bool:
    """Return whether a model predicts masked tokens (BertForMaskedLM, …)."""
    if getattr(getattr(model, "config", None), "is_encoder_decoder", True):
        return False
    return any(kind.__name__.endswith("ForMaskedLM") for kind in type(model).__mro__)


def _sees_only_the_past(model: Any) -> bool:
    """Return False for an encoder with a head for generation that is not set up as a decoder."""
    config = model.config
    if getattr(config, "is_decoder", True) is not False:
        return True
    # Decoders of pairs (BartForCausalLM, …) and plain decoders such as GPT-NeoX carry the flag but ignore
    # it; the BERT family makes its attention mask from it.
    return not _is_bert_family(config.model_type)


def _is_bert_family(model_type: str) -> bool:
    families = ("bert", "electra", "data2vec-text", "ernie", "big_bird", "roformer", "xmod", "esm")
    return any(family in model_type for family in families)
