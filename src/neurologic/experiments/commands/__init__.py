"""The experiment commands: eval, compare, train, reproduce and bench."""
