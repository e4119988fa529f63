"""Feasibility: whether a partial text can still end satisfied, and in how many tokens at most."""
