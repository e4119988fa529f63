"""Small models of many families with random weights: what cannot be downloaded can still be checked.

Every entry builds a model from its own config, for a vocabulary of any size and any special tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers as hf

SIZE = 61  # of the vocabulary

Build = Callable[..., Any]  # takes size, pad, bos and eos, all of them optional

# The names that configs have for the same things.
_LLAMA = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}
_GROUPED = {**_LLAMA, "num_key_value_heads": 2}
_GPT = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
_PAIR = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
}
_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
_LATENT = {  # DeepSeek's attention
    **_LLAMA,
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 4,
    "v_head_dim": 8,
    "moe_intermediate_size": 16,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_LOCAL_EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
_STATES_AND_ATTENTION = ["linear_attention", "full_attention"] * 2
_LINEAR = {
    "num_hidden_layers": 4,
    "layer_types": _STATES_AND_ATTENTION,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "head_dim": 8,
}
_MAMBA2 = {  # the state-space layers of hybrids
    "mamba_d_state": 8,
    "mamba_n_heads": 8,
    "mamba_d_head": 8,
    "mamba_n_groups": 1,
    "mamba_chunk_size": 4,
}
# transformers keeps time steps above this when it reads a text at once, but not when it reads on token by
# token: with the usual 0.001 the model itself has two answers, a few thousandths apart.
_NO_LEAST_TIME_STEP = {"time_step_min": 1e-12}


def tiny(name: str, *, start: str | None = None, **config: Any) -> Build:
    """A builder of models of one class; `start` names the special token that starts a decoder."""

    def build(size: int = SIZE, pad: int = 0, bos: int = 1, eos: int = 2) -> Any:
        kind = getattr(hf, name)
        specials = {"pad_token_id": pad, "bos_token_id": bos, "eos_token_id": eos}
        if start is not None:
            specials["decoder_start_token_id"] = specials[f"{start}_token_id"]
        return kind(kind.config_class(**{"vocab_size": size, **specials, **config}))

    return build


def tiny_pair(encoder: str, decoder: str, **config: Any) -> Build:
    """A builder of an `EncoderDecoderModel` of two models of the BERT kind."""

    def build(size: int = SIZE, pad: int = 0, bos: int = 1, eos: int = 2) -> Any:
        specials = {"pad_token_id": pad, "bos_token_id": bos, "eos_token_id": eos}
        sizes = {"vocab_size": size, **specials, **_LLAMA, **config}
        first, second = getattr(hf, encoder), getattr(hf, decoder)
        return hf.EncoderDecoderModel(
            hf.EncoderDecoderConfig.from_encoder_decoder_configs(
                first.config_class(**sizes),
                second.config_class(**sizes),
                decoder_start_token_id=bos,
                pad_token_id=pad,
                eos_token_id=eos,
            ),
            first(first.config_class(**sizes)),
            second(second.config_class(**sizes, is_decoder=True, add_cross_attention=True)),
        )

    return build


def _with_pictures(name: str, *, start: str | None = None, **config: Any) -> Build:
    """A model that reads pictures too; here it gets text only."""

    def build(size: int = SIZE, pad: int = 0, bos: int = 1, eos: int = 2) -> Any:
        kind = getattr(hf, name)
        text = {"vocab_size": size, "pad_token_id": pad, "bos_token_id": bos, "eos_token_id": eos, **_GROUPED}
        parts = {key: value for key, value in config.items() if key != "text_config"}
        return kind(kind.config_class(text_config={**text, **config["text_config"]}, **parts))

    return build


_PICTURES = {**_LLAMA, "num_hidden_layers": 1, "image_size": 8, "patch_size": 4}

ALL_CAUSAL: dict[str, Build] = {
    # The GPT line
    "openai-gpt, no cache": tiny("OpenAIGPTLMHeadModel", **_GPT),
    "gpt2": tiny("GPT2LMHeadModel", **_GPT),
    "gpt-neo, local layers": tiny(
        "GPTNeoForCausalLM",
        hidden_size=32,
        num_layers=2,
        num_heads=4,
        intermediate_size=48,
        max_position_embeddings=64,
        attention_types=[[["global", "local"], 1]],
        window_size=4,
    ),
    "gpt-j": tiny("GPTJForCausalLM", **_GPT, rotary_dim=4),
    "gpt-neox": tiny("GPTNeoXForCausalLM", **_LLAMA),
    "gpt-bigcode": tiny("GPTBigCodeForCausalLM", **_GPT),
    "gpt-oss, attention sinks": tiny(
        "GptOssForCausalLM", **_GROUPED, **_LOCAL_EXPERTS, head_dim=8, sliding_window=4
    ),
    # Llama and its relatives
    "llama": tiny("LlamaForCausalLM", **_GROUPED),
    "llama4, chunked": tiny(
        "Llama4ForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 4},
        **_LOCAL_EXPERTS,
        intermediate_size_mlp=48,
        head_dim=8,
        attention_chunk_size=4,
    ),
    "smollm3": tiny("SmolLM3ForCausalLM", **_GROUPED),
    "qwen2": tiny("Qwen2ForCausalLM", **_GROUPED),
    "qwen2-moe": tiny("Qwen2MoeForCausalLM", **_GROUPED, **_EXPERTS, shared_expert_intermediate_size=16),
    "qwen3": tiny("Qwen3ForCausalLM", **_GROUPED, head_dim=8),
    "qwen3-moe": tiny("Qwen3MoeForCausalLM", **_GROUPED, **_EXPERTS, head_dim=8),
    "gemma": tiny("GemmaForCausalLM", **_GROUPED, head_dim=8),
    "gemma2, mixed layers": tiny("Gemma2ForCausalLM", **_GROUPED, head_dim=8, sliding_window=4),
    "gemma3, mixed layers": tiny(
        "Gemma3ForCausalLM",
        **_GROUPED,
        head_dim=8,
        sliding_window=4,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "mistral, sliding window": tiny("MistralForCausalLM", **_GROUPED, sliding_window=5),
    "mixtral": tiny("MixtralForCausalLM", **_GROUPED, **_LOCAL_EXPERTS),
    "phi": tiny("PhiForCausalLM", **_GROUPED),
    "phi3": tiny("Phi3ForCausalLM", **_GROUPED),
    "stablelm": tiny("StableLmForCausalLM", **_GROUPED),
    "starcoder2": tiny("Starcoder2ForCausalLM", **_GROUPED),
    "cohere2, mixed layers": tiny(
        "Cohere2ForCausalLM",
        **_GROUPED,
        head_dim=8,
        sliding_window=4,
        logit_scale=1.0,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "olmo2": tiny("Olmo2ForCausalLM", **_GROUPED),
    "granite": tiny("GraniteForCausalLM", **_GROUPED),
    "glm4": tiny("Glm4ForCausalLM", **_GROUPED, head_dim=8),
    "deepseek-v3, latent attention": tiny("DeepseekV3ForCausalLM", **_LATENT),
    "deepseek-v3.2, indexed": tiny(
        "DeepseekV32ForCausalLM", **_LATENT, index_n_heads=16, index_head_dim=8, index_topk=4
    ),
    # Other positions
    "opt": tiny(
        "OPTForCausalLM",
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        ffn_dim=48,
        max_position_embeddings=64,
        word_embed_proj_dim=32,
    ),
    "xglm": tiny("XGLMForCausalLM", d_model=32, num_layers=2, attention_heads=4, ffn_dim=48),
    "bloom, ALiBi": tiny("BloomForCausalLM", hidden_size=32, n_layer=2, n_head=4),
    "mpt, ALiBi": tiny("MptForCausalLM", d_model=32, n_layers=2, n_heads=4, max_seq_len=64),
    "falcon": tiny("FalconForCausalLM", **_LLAMA),
    "falcon, ALiBi": tiny("FalconForCausalLM", **_LLAMA, alibi=True, new_decoder_architecture=True),
    "ctrl": tiny("CTRLLMHeadModel", n_embd=32, n_layer=2, n_head=4, dff=48, n_positions=64),
    # Decoders of other architectures
    "bert as a decoder": tiny("BertLMHeadModel", **_LLAMA, is_decoder=True),
    "roberta as a decoder": tiny("RobertaForCausalLM", **_LLAMA, is_decoder=True),
    "bert-generation as a decoder": tiny("BertGenerationDecoder", **_LLAMA, is_decoder=True),
    "bart as a decoder, no padding": tiny("BartForCausalLM", **_PAIR),
    "gemma3 with a vision tower": _with_pictures(
        "Gemma3ForConditionalGeneration",
        text_config={"head_dim": 8, "sliding_window": 4},
        vision_config=_PICTURES,
        mm_tokens_per_image=4,
        image_token_index=5,
        boi_token_index=6,
        eoi_token_index=7,
    ),
    # States instead of keys and values
    "mamba, recurrent": tiny("MambaForCausalLM", hidden_size=32, num_hidden_layers=2, state_size=4),
    "mamba2, recurrent": tiny(
        "Mamba2ForCausalLM",
        hidden_size=32,
        num_hidden_layers=2,
        state_size=8,
        num_heads=8,
        head_dim=8,
        n_groups=1,
        chunk_size=4,
    ),
    "falcon-mamba, recurrent": tiny(
        "FalconMambaForCausalLM", hidden_size=32, num_hidden_layers=2, state_size=4
    ),
    "rwkv, read anew": tiny("RwkvForCausalLM", hidden_size=32, num_hidden_layers=2, intermediate_size=48),
    "xlstm, read anew": tiny(
        "xLSTMForCausalLM", hidden_size=64, num_hidden_layers=2, num_heads=4, qk_dim_factor=1.0
    ),
    # Both
    "jamba, hybrid": tiny(
        "JambaForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 4},
        num_experts=4,
        attn_layer_period=2,
        attn_layer_offset=1,
        mamba_d_state=8,
        mamba_dt_rank=4,
        use_mamba_kernels=False,
    ),
    "zamba2, hybrid": tiny(
        "Zamba2ForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 4, "num_key_value_heads": 4},
        layers_block_type=["mamba", "hybrid", "mamba", "hybrid"],
        mamba_d_state=8,
        mamba_ngroups=1,
        n_mamba_heads=8,
        num_mem_blocks=1,
        chunk_size=4,
        use_mem_rope=True,
        **_NO_LEAST_TIME_STEP,
    ),
    "bamba, hybrid": tiny(
        "BambaForCausalLM", **{**_GROUPED, "num_hidden_layers": 4}, **_MAMBA2, attn_layer_indices=[1]
    ),
    "falcon-h1, hybrid": tiny("FalconH1ForCausalLM", **_GROUPED, **_MAMBA2, mamba_d_ssm=64, head_dim=8),
    "lfm2, hybrid": tiny(
        "Lfm2ForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 4},
        layer_types=["conv", "full_attention"] * 2,
        block_multiple_of=16,
    ),
    "granite-moe-hybrid": tiny(
        "GraniteMoeHybridForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 4},
        **_LOCAL_EXPERTS,
        **_MAMBA2,
        layer_types=_STATES_AND_ATTENTION,
        shared_intermediate_size=16,
    ),
    "nemotron-h, hybrid": tiny(
        "NemotronHForCausalLM",
        **_GROUPED,
        head_dim=8,
        ssm_state_size=8,
        mamba_num_heads=8,
        mamba_head_dim=8,
        n_groups=1,
        chunk_size=4,
        n_routed_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        moe_shared_expert_intermediate_size=16,
        **_NO_LEAST_TIME_STEP,
    ),
    "qwen3-next, hybrid": tiny(
        "Qwen3NextForCausalLM",
        **{**_GROUPED, **_LINEAR},
        **_EXPERTS,
        shared_expert_intermediate_size=16,
    ),
    "qwen3.5, hybrid": tiny("Qwen3_5ForCausalLM", **{**_GROUPED, **_LINEAR}),
    "minimax, hybrid, read anew": tiny(
        "MiniMaxForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 4},
        **_LOCAL_EXPERTS,
        head_dim=8,
        block_size=4,
        layer_types=_STATES_AND_ATTENTION,
    ),
    "recurrent-gemma, hybrid, read anew": tiny(
        "RecurrentGemmaForCausalLM",
        **{**_GROUPED, "num_hidden_layers": 3},
        block_types=["recurrent", "recurrent", "attention"],
        lru_width=32,
        attention_window_size=6,
    ),
}

# Each kind of cache and of positions once, for tests that need not see every family.
CAUSAL = {
    name: ALL_CAUSAL[name]
    for name in (
        "llama",
        "gpt2",
        "qwen2",
        "mistral, sliding window",
        "gemma3, mixed layers",
        "opt",
        "bloom, ALiBi",
        "gpt-neox",
        "openai-gpt, no cache",
        "mamba, recurrent",
        "bert as a decoder",
    )
}

ENCODER_DECODER: dict[str, Build] = {
    "t5": tiny("T5ForConditionalGeneration", start="pad", **_T5),
    "mt5": tiny("MT5ForConditionalGeneration", start="pad", **_T5),
    "umt5": tiny("UMT5ForConditionalGeneration", start="pad", **_T5),
    "longt5, local layers": tiny("LongT5ForConditionalGeneration", start="pad", **_T5, local_radius=3),
    "switch-transformers": tiny(
        "SwitchTransformersForConditionalGeneration",
        start="pad",
        **_T5,
        num_experts=4,
        num_decoder_layers=2,
        num_sparse_encoder_layers=1,
        num_sparse_decoder_layers=1,
    ),
    "t5gemma, mixed layers": lambda size=SIZE, pad=0, bos=1, eos=2: _t5gemma(size, pad, bos, eos),
    "bart": tiny("BartForConditionalGeneration", start="eos", **_PAIR),
    "mbart": tiny("MBartForConditionalGeneration", start="eos", **_PAIR),
    "m2m100": tiny("M2M100ForConditionalGeneration", start="eos", **_PAIR),
    "nllb-moe": tiny(
        "NllbMoeForConditionalGeneration",
        start="eos",
        **_PAIR,
        num_experts=4,
        encoder_sparse_step=2,
        decoder_sparse_step=2,
    ),
    "marian": tiny("MarianMTModel", start="eos", **_PAIR),
    "pegasus": tiny("PegasusForConditionalGeneration", start="eos", **_PAIR),
    "pegasus-x, local layers": tiny(
        "PegasusXForConditionalGeneration", start="eos", **_PAIR, block_size=4, num_global_tokens=2
    ),
    "blenderbot": tiny("BlenderbotForConditionalGeneration", start="bos", **_PAIR),
    "plbart": tiny("PLBartForConditionalGeneration", start="eos", **_PAIR),
    "led, local layers": tiny(
        "LEDForConditionalGeneration",
        start="eos",
        **{key: value for key, value in _PAIR.items() if key != "max_position_embeddings"},
        max_encoder_position_embeddings=64,
        max_decoder_position_embeddings=64,
        attention_window=4,
    ),
    "bigbird-pegasus, full attention": tiny(
        "BigBirdPegasusForConditionalGeneration", start="bos", **_PAIR, attention_type="original_full"
    ),
    "two berts": tiny_pair("BertModel", "BertLMHeadModel"),
    "two robertas": tiny_pair("RobertaModel", "RobertaForCausalLM"),
    "bert-generation": tiny_pair("BertGenerationEncoder", "BertGenerationDecoder"),
    "bert and gpt2": lambda size=SIZE, pad=0, bos=1, eos=2: _bert_and_gpt2(size, pad, bos, eos),
}

# Their caches are states, windows or indices, or there is none: no token can be taken back.
CANNOT_REWIND = {
    *(name for name in ALL_CAUSAL if name.endswith(("no cache", "recurrent", "hybrid", "read anew"))),
    "gpt-oss, attention sinks",
    "llama4, chunked",
    "gemma2, mixed layers",
    "gemma3, mixed layers",
    "gemma3 with a vision tower",
    "mistral, sliding window",
    "cohere2, mixed layers",
    "deepseek-v3.2, indexed",
    "t5gemma, mixed layers",
}

# Without a token's place in its text, or with one that is told from its column.
CANNOT_READ_TREES = CANNOT_REWIND | {
    "gpt-neo, local layers",
    "bloom, ALiBi",
    "mpt, ALiBi",
    "falcon, ALiBi",
    "bart as a decoder, no padding",
}


def _t5gemma(size: int, pad: int, bos: int, eos: int) -> Any:
    specials = {"pad_token_id": pad, "bos_token_id": bos, "eos_token_id": eos}
    part = {"vocab_size": size, **specials, **_GROUPED, "head_dim": 8, "sliding_window": 3}
    return hf.T5GemmaForConditionalGeneration(
        hf.T5GemmaConfig(
            encoder=part,
            decoder={**part, "cross_attention_hidden_size": 32},
            vocab_size=size,
            decoder_start_token_id=bos,
            **specials,
        )
    )


def _bert_and_gpt2(size: int, pad: int, bos: int, eos: int) -> Any:
    specials = {"pad_token_id": pad, "bos_token_id": bos, "eos_token_id": eos}
    model = hf.EncoderDecoderModel(
        encoder=hf.BertModel(hf.BertConfig(vocab_size=size, **specials, **_LLAMA)),
        decoder=hf.GPT2LMHeadModel(
            hf.GPT2Config(vocab_size=size, **specials, **_GPT, is_decoder=True, add_cross_attention=True)
        ),
    )
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = bos, pad, eos
    return model


_TINY_BERT = {**_LLAMA, "vocab_size": SIZE}
UNSUPPORTED: dict[str, tuple[Callable[[], Any], str]] = {
    "bare": (lambda: hf.LlamaModel(hf.LlamaConfig(**_GROUPED, vocab_size=SIZE)), "no head that generates"),
    "classifier": (
        lambda: hf.BertForSequenceClassification(hf.BertConfig(**_TINY_BERT)),
        "no head that generates",
    ),
    "bidirectional": (tiny("BertLMHeadModel", **_LLAMA), "bidirectional"),
    "permuted": (tiny("XLNetLMHeadModel", d_model=32, n_layer=2, n_head=4, d_inner=48), "permuted"),
    "by a mask": (tiny("XLMWithLMHeadModel", emb_dim=32, n_layers=2, n_heads=4), "by a mask"),
    "several at once": (
        tiny(
            "ProphetNetForConditionalGeneration",
            hidden_size=32,
            num_encoder_layers=1,
            num_decoder_layers=1,
            num_encoder_attention_heads=4,
            num_decoder_attention_heads=4,
            encoder_ffn_dim=48,
            decoder_ffn_dim=48,
        ),
        "several tokens at once",
    ),
    "hashed": (
        tiny(
            "ReformerModelWithLMHead",
            hidden_size=32,
            attn_layers=["local"],
            num_attention_heads=4,
            feed_forward_size=48,
            axial_pos_embds=False,
            is_decoder=True,
        ),
        "hashed attention",
    ),
    "retrieving": (lambda: _rag(), "retrieves documents"),
    "block-sparse": (
        tiny("BigBirdPegasusForConditionalGeneration", start="bos", **_PAIR),
        'attention_type="original_full"',
    ),
    "its own prompt": (
        tiny(
            "CpmAntForCausalLM",
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=4,
            dim_head=8,
            dim_ff=48,
        ),
        "a prompt of its own",
    ),
    "speech in": (
        tiny("WhisperForConditionalGeneration", start="bos", **{**_PAIR, "num_mel_bins": 8}),
        "takes input_features",
    ),
    "speech out": (
        tiny("MoshiForCausalLM", **_LLAMA, num_key_value_heads=4, head_dim=8, ffn_dim=48),
        "it speaks",
    ),
    "pictures in": (
        _with_pictures(
            "PaliGemmaForConditionalGeneration",
            text_config={"model_type": "gemma", "head_dim": 8},
            vision_config={**_PICTURES, "model_type": "siglip_vision_model"},
            image_token_index=5,
            projection_dim=32,
        ),
        "picture",
    ),
    "not a model": (lambda: object(), "no config"),
}


def _rag() -> Any:
    return hf.RagTokenForGeneration(
        question_encoder=hf.DPRQuestionEncoder(hf.DPRConfig(**_TINY_BERT)),
        generator=hf.BartForConditionalGeneration(hf.BartConfig(**_PAIR, vocab_size=SIZE)),
    )


def make(build: Build) -> Any:
    """The model, with the same random weights every time, ready to be run."""
    torch.manual_seed(0)
    return build().eval()


def make_vivid(build: Build, **arguments: int) -> Any:
    """The same with weights so large that every token, and where it stands, shows in the scores.

    Fresh weights of most families are so small that attention is all but even: a wrong position or a wrong
    mask would stay below any tolerance.
    """
    torch.manual_seed(0)
    model = build(**arguments).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0, weight.shape[-1] ** -0.5)
    return model
