"""Small models of many families with random weights, so that no test needs a download.

Every entry builds a model from its own config, for a vocabulary of any size and any special tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers as hf

SIZE = 61  # of the vocabulary

Build = Callable[..., Any]  # takes size, pad, bos and eos, all of them optional

# Sizes under the names that the configs of different families use.
LLAMA_SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}
GROUPED_SIZES = {**LLAMA_SIZES, "num_key_value_heads": 2}
GPT_SIZES = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
PAIR_SIZES = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
}
T5_SIZES = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
_LATENT = {  # DeepSeek's attention
    **LLAMA_SIZES,
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
        sizes = {"vocab_size": size, **specials, **LLAMA_SIZES, **config}
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
        text = {
            "vocab_size": size,
            "pad_token_id": pad,
            "bos_token_id": bos,
            "eos_token_id": eos,
            **GROUPED_SIZES,
        }
        parts = {key: value for key, value in config.items() if key != "text_config"}
        return kind(kind.config_class(text_config={**text, **config["text_config"]}, **parts))

    return build


_PICTURES = {**LLAMA_SIZES, "num_hidden_layers": 1, "image_size": 8, "patch_size": 4}

ALL_CAUSAL: dict[str, Build] = {
    # The GPT line
    "openai-gpt, no cache": tiny("OpenAIGPTLMHeadModel", **GPT_SIZES),
    "gpt2": tiny("GPT2LMHeadModel", **GPT_SIZES),
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
    "gpt-j": tiny("GPTJForCausalLM", **GPT_SIZES, rotary_dim=4),
    "gpt-neox": tiny("GPTNeoXForCausalLM", **LLAMA_SIZES),
    "gpt-bigcode": tiny("GPTBigCodeForCausalLM", **GPT_SIZES),
    "gpt-oss, attention sinks": tiny(
        "GptOssForCausalLM", **GROUPED_SIZES, **_LOCAL_EXPERTS, head_dim=8, sliding_window=4
    ),
    # Llama and its relatives
    "llama": tiny("LlamaForCausalLM", **GROUPED_SIZES),
    "llama4, chunked": tiny(
        "Llama4ForCausalLM",
        **{**GROUPED_SIZES, "num_hidden_layers": 4},
        **_LOCAL_EXPERTS,
        intermediate_size_mlp=48,
        head_dim=8,
        attention_chunk_size=4,
    ),
    "smollm3": tiny("SmolLM3ForCausalLM", **GROUPED_SIZES),
    "qwen2": tiny("Qwen2ForCausalLM", **GROUPED_SIZES),
    "qwen2-moe": tiny("Qwen2MoeForCausalLM", **GROUPED_SIZES, **_EXPERTS, shared_expert_intermediate_size=16),
    "qwen3": tiny("Qwen3ForCausalLM", **GROUPED_SIZES, head_dim=8),
    "qwen3-moe": tiny("Qwen3MoeForCausalLM", **GROUPED_SIZES, **_EXPERTS, head_dim=8),
    "gemma": tiny("GemmaForCausalLM", **GROUPED_SIZES, head_dim=8),
    "gemma2, mixed layers": tiny("Gemma2ForCausalLM", **GROUPED_SIZES, head_dim=8, sliding_window=4),
    "gemma3, mixed layers": tiny(
        "Gemma3ForCausalLM",
        **GROUPED_SIZES,
        head_dim=8,
        sliding_window=4,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "mistral, sliding window": tiny("MistralForCausalLM", **GROUPED_SIZES, sliding_window=5),
    "mixtral": tiny("MixtralForCausalLM", **GROUPED_SIZES, **_LOCAL_EXPERTS),
    "phi": tiny("PhiForCausalLM", **GROUPED_SIZES),
    "phi3": tiny("Phi3ForCausalLM", **GROUPED_SIZES),
    "stablelm": tiny("StableLmForCausalLM", **GROUPED_SIZES),
    "starcoder2": tiny("Starcoder2ForCausalLM", **GROUPED_SIZES),
    "cohere2, mixed layers": tiny(
        "Cohere2ForCausalLM",
        **GROUPED_SIZES,
        head_dim=8,
        sliding_window=4,
        logit_scale=1.0,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "olmo2": tiny("Olmo2ForCausalLM", **GROUPED_SIZES),
    "granite": tiny("GraniteForCausalLM", **GROUPED_SIZES),
    "glm4": tiny("Glm4ForCausalLM", **GROUPED_SIZES, head_dim=8),
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
    "falcon": tiny("FalconForCausalLM", **LLAMA_SIZES),
    "falcon, ALiBi": tiny("FalconForCausalLM", **LLAMA_SIZES, alibi=True, new_decoder_architecture=True),
    "ctrl": tiny("CTRLLMHeadModel", n_embd=32, n_layer=2, n_head=4, dff=48, n_positions=64),
    # Decoders of other architectures
    "bert as a decoder": tiny("BertLMHeadModel", **LLAMA_SIZES, is_decoder=True),
    "roberta as a decoder": tiny("RobertaForCausalLM", **LLAMA_SIZES, is_decoder=True),
    "bert-generation as a decoder": tiny("BertGenerationDecoder", **LLAMA_SIZES, is_decoder=True),
    "bart as a decoder, no padding": tiny("BartForCausalLM", **PAIR_SIZES),
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
        **{**GROUPED_SIZES, "num_hidden_layers": 4},
        num_experts=4,
        attn_layer_period=2,
        attn_layer_offset=1,
        mamba_d_state=8,
        mamba_dt_rank=4,
        use_mamba_kernels=False,
    ),
    "zamba2, hybrid": tiny(
        "Zamba2ForCausalLM",
        **{**GROUPED_SIZES, "num_hidden_layers": 4, "num_key_value_heads": 4},
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
        "BambaForCausalLM", **{**GROUPED_SIZES, "num_hidden_layers": 4}, **_MAMBA2, attn_layer_indices=[1]
    ),
    "falcon-h1, hybrid": tiny("FalconH1ForCausalLM", **GROUPED_SIZES, **_MAMBA2, mamba_d_ssm=64, head_dim=8),
    "lfm2, hybrid": tiny(
        "Lfm2ForCausalLM",
        **{**GROUPED_SIZES, "num_hidden_layers": 4},
        layer_types=["conv", "full_attention"] * 2,
        block_multiple_of=16,
    ),
    "granite-moe-hybrid": tiny(
        "GraniteMoeHybridForCausalLM",
        **{**GROUPED_SIZES, "num_hidden_layers": 4},
        **_LOCAL_EXPERTS,
        **_MAMBA2,
        layer_types=_STATES_AND_ATTENTION,
        shared_intermediate_size=16,
    ),
    "nemotron-h, hybrid": tiny(
        "NemotronHForCausalLM",
        **GROUPED_SIZES,
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
        **{**GROUPED_SIZES, **_LINEAR},
        **_EXPERTS,
        shared_expert_intermediate_size=16,
    ),
    "qwen3.5, hybrid": tiny("Qwen3_5ForCausalLM", **{**GROUPED_SIZES, **_LINEAR}),
    "minimax, hybrid, read anew": tiny(
        "MiniMaxForCausalLM",
        **{**GROUPED_SIZES, "num_hidden_layers": 4},
        **_LOCAL_EXPERTS,
        head_dim=8,
        block_size=4,
        layer_types=_STATES_AND_ATTENTION,
    ),
    "recurrent-gemma, hybrid, read anew": tiny(
        "RecurrentGemmaForCausalLM",
        **{**GROUPED_SIZES, "num_hidden_layers": 3},
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
    "t5": tiny("T5ForConditionalGeneration", start="pad", **T5_SIZES),
    "mt5": tiny("MT5ForConditionalGeneration", start="pad", **T5_SIZES),
    "umt5": tiny("UMT5ForConditionalGeneration", start="pad", **T5_SIZES),
    "longt5, local layers": tiny("LongT5ForConditionalGeneration", start="pad", **T5_SIZES, local_radius=3),
    "switch-transformers": tiny(
        "SwitchTransformersForConditionalGeneration",
        start="pad",
        **T5_SIZES,
        num_experts=4,
        num_decoder_layers=2,
        num_sparse_encoder_layers=1,
        num_sparse_decoder_layers=1,
    ),
    "t5gemma, mixed layers": lambda size=SIZE, pad=0, bos=1, eos=2: _t5gemma(size, pad, bos, eos),
    "bart": tiny("BartForConditionalGeneration", start="eos", **PAIR_SIZES),
    "mbart": tiny("MBartForConditionalGeneration", start="eos", **PAIR_SIZES),
    "m2m100": tiny("M2M100ForConditionalGeneration", start="eos", **PAIR_SIZES),
    "nllb-moe": tiny(
        "NllbMoeForConditionalGeneration",
        start="eos",
        **PAIR_SIZES,
        num_experts=4,
        encoder_sparse_step=2,
        decoder_sparse_step=2,
    ),
    "marian": tiny("MarianMTModel", start="eos", **PAIR_SIZES),
    "pegasus": tiny("PegasusForConditionalGeneration", start="eos", **PAIR_SIZES),
    "pegasus-x, local layers": tiny(
        "PegasusXForConditionalGeneration", start="eos", **PAIR_SIZES, block_size=4, num_global_tokens=2
    ),
    "blenderbot": tiny("BlenderbotForConditionalGeneration", start="bos", **PAIR_SIZES),
    "plbart": tiny("PLBartForConditionalGeneration", start="eos", **PAIR_SIZES),
    "led, local layers": tiny(
        "LEDForConditionalGeneration",
        start="eos",
        **{key: value for key, value in PAIR_SIZES.items() if key != "max_position_embeddings"},
        max_encoder_position_embeddings=64,
        max_decoder_position_embeddings=64,
        attention_window=4,
    ),
    "bigbird-pegasus, full attention": tiny(
        "BigBirdPegasusForConditionalGeneration", start="bos", **PAIR_SIZES, attention_type="original_full"
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
    part = {"vocab_size": size, **specials, **GROUPED_SIZES, "head_dim": 8, "sliding_window": 3}
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
        encoder=hf.BertModel(hf.BertConfig(vocab_size=size, **specials, **LLAMA_SIZES)),
        decoder=hf.GPT2LMHeadModel(
            hf.GPT2Config(vocab_size=size, **specials, **GPT_SIZES, is_decoder=True, add_cross_attention=True)
        ),
    )
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = bos, pad, eos
    return model


_TINY_BERT = {**LLAMA_SIZES, "vocab_size": SIZE}
UNSUPPORTED: dict[str, tuple[Callable[[], Any], str]] = {
    "bare": (
        lambda: hf.LlamaModel(hf.LlamaConfig(**GROUPED_SIZES, vocab_size=SIZE)),
        "no head that generates",
    ),
    "classifier": (
        lambda: hf.BertForSequenceClassification(hf.BertConfig(**_TINY_BERT)),
        "no head that generates",
    ),
    "bidirectional": (tiny("BertLMHeadModel", **LLAMA_SIZES), "bidirectional"),
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
        tiny("BigBirdPegasusForConditionalGeneration", start="bos", **PAIR_SIZES),
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
        tiny("WhisperForConditionalGeneration", start="bos", **{**PAIR_SIZES, "num_mel_bins": 8}),
        "takes input_features",
    ),
    "speech out": (
        tiny("MoshiForCausalLM", **LLAMA_SIZES, num_key_value_heads=4, head_dim=8, ffn_dim=48),
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
        generator=hf.BartForConditionalGeneration(hf.BartConfig(**PAIR_SIZES, vocab_size=SIZE)),
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
