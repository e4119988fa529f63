"""From requests to results.

The way of one request: `request` is what a caller hands in; `options` read and check the settings of a call;
`job` compiles the constraint (`compiler`) and encodes the prompt; `scheduler` decides which job runs when;
the engine of its decoder writes the text; `judge` reads the text anew and makes the `result`.
`constrained_model` has the class that a user holds.
"""
