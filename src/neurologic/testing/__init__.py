"""Laws that a model or a decoder of your own must obey."""
