"""Predicates as automata: what a formula can say beyond "this phrase occurs", followed as a text grows."""
