"""Search: one batched beam engine, and one small file per decoder."""
