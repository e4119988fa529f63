"""From requests to results: compile, schedule, search, judge."""
