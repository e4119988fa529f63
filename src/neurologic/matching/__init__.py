"""Matching: from phrases to an automaton over a tokenizer's vocabulary, and the states of clauses."""
