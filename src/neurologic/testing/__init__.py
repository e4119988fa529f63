"""Check that a model of your own obeys the laws that the search relies on.

`MODEL_LAWS` are plain functions that take a `LanguageModel` and at least three prompts, and raise
`AssertionError` where the model breaks a law. They need no test framework; in pytest write

    import pytest
    from neurologic.models.base import EncodedPrompt
    from neurologic.testing import MODEL_LAWS

    PROMPTS = [EncodedPrompt(ids) for ids in [(5, 6, 7), (8,), (6, 9)]]

    @pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
    def test_my_model_obeys(law):
        law(MyModel(), PROMPTS)

or call `check_model(MyModel(), PROMPTS)`, which checks all of them. Choose prompts of different lengths,
and check again with prompts of equal length if your model treats padding specially. Each law is a function
of `neurologic.testing.model_laws` with the law as its docstring.
"""

from neurologic.testing.model_laws import MODEL_LAWS, TrackedDecoding, check_model

__all__ = ["MODEL_LAWS", "TrackedDecoding", "check_model"]
