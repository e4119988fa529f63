"""The commands of the laboratory: eval, compare, train, reproduce and bench."""
