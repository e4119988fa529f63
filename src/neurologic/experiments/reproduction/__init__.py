"""The paper's whole experiment on CommonGen: its models, runs, tables and curves, at two scales.

    experiment_parts  models, systems, tables and curves of which a scale consists
    presets           the two scales, from laptop.toml and paper.toml
    paper_scores      the paper's scores, from paper_scores.tsv
    reproduction      a scale, the data, and the folder
    plan              the steps, and how far each one is
    estimate          how long the rest will take
    execution         train, generate and score what is missing
    found_runs        the runs in the folder, scored and compared
    paper_tables, curves, report   tables, curves and pages of the findings

Trainings and runs are those of `neurologic train` and `neurologic eval`, in folders of the same form: a
reproduction does not repeat what these commands have done.
"""
