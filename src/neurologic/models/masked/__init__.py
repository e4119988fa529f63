"""Run masked language models as sequence-to-sequence models: UniLM and BERT-Gen."""
