"""A citizen of Hugging Face: the search inside `model.generate` and in pipelines."""
