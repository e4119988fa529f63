"""Rows of files: read them, write their results, and go on where an earlier process stopped.

    sources            names, globs and standard input to rows of JSON lines or Parquet
    lines              one line of JSON, and the constraint in it
    inputs             a row as a prompt with a formula, and its result
    result_rows        a result as a row, for JSON lines and for Parquet
    model_identity     a name for a model that changes with its weights
    run_manifest       everything that decides the texts of a run; one process, one manifest per output
    row_ledger         which rows of an output are written, and how they ended
    resumable_output   lines in the order of the rows, from any number of processes in turn
    parquet_files      rows from and to Parquet

Nothing here loads a model or runs a search: `generation` does.
"""
