"""Search: the batched beam engine, the beam of one input, and what they read and write."""
