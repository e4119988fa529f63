"""Run the search inside `model.generate` and pipelines."""
