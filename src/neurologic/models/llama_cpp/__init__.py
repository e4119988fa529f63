"""Models in GGUF files, run by llama.cpp."""
