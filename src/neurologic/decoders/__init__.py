"""Decoders: one small file each, on the engine of `neurologic.search`; `editing` has an engine of its own."""
