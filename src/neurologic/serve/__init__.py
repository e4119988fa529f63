"""`neurologic serve`: OpenAI's HTTP API for texts that obey formulas.

The files, in the order in which they see a request:

protocol     reads headers from the connection, within limits
guard        checks host, key and body before anything else looks at them, and logs every answer
bodies       the fields of a request, as JSON and as types
orders       a body becomes an order: prompts, options of the search, how to answer
constraints  the constraint of an order becomes a formula, within limits
desk         orders are compiled in threads, wait, run in the model's one scheduler, and can be cancelled
answers      results become choices with verdicts
streaming    choices bit by bit, as server-sent events
routes       which path does what; `app` puts all together, `server` runs it

This package does not search, batch or judge: that is `neurologic.generation`. It imports FastAPI, so nothing
else imports it, except the command.
"""
