"""Feasibility: can a text under way still end satisfied, and in how many tokens at most?"""
