"""The paper's experiment on CommonGen as a whole: its models, runs, tables and curves, at two scales.

`scale` says what a scale consists of, `scales` has the two that there are, `published` the paper's figures.
`plan` lists the steps with what is done of them, `estimate` says how long the rest will take, and
`execution` does it. `findings` reads runs and scores them, `tables` (of `table`) and `curves` are made of
that, `contents` puts them together, `report`, `markdown` and `pictures` give them a form, and `keeping`
writes the files.

Trainings and runs are those of `neurologic train` and `neurologic eval`, in folders of the same form: what
these have done is not done again.
"""
