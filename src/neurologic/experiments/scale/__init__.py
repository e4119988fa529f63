"""Figures of runs over many rows: memory and speed on this machine (`measure`), stragglers (`simulation`)."""
