"""Feasibility: whether a text under way can still end satisfied, and in how many tokens at most."""
