"""Decoders: one small file each, all on the engine of `neurologic.search`."""
