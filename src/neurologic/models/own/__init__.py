"""Models of the user's own: the protocol of `base`, or one function that scores texts."""
