"""Check that a model or a decoder of your own obeys the laws that neurologic relies on.

Laws are plain functions that raise `AssertionError` where the object breaks the law; they need no test
framework. Each says in its docstring what it demands.

`MODEL_LAWS` take a `LanguageModel` and at least three prompts. In pytest write

    import pytest
    from neurologic.models.base import EncodedPrompt
    from neurologic.testing import MODEL_LAWS

    PROMPTS = [EncodedPrompt(ids) for ids in [(5, 6, 7), (8,), (6, 9)]]

    @pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
    def test_my_model_obeys(law):
        law(MyModel(), PROMPTS)

or call `check_model(MyModel(), PROMPTS)`, which checks all of them. Choose prompts of different lengths, and
check again with prompts of equal length if your model treats padding specially.

`DECODER_LAWS` and `check_decoder` take a function that makes a decoder, which they try on small toy models.
"""

from neurologic.testing.decoder_laws import DECODER_LAWS, check_decoder
from neurologic.testing.model_laws import MODEL_LAWS, TrackedDecoding, check_model

__all__ = ["DECODER_LAWS", "MODEL_LAWS", "TrackedDecoding", "check_decoder", "check_model"]
