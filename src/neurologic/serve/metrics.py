"""What the server counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from neurologic.serve.answers import Choice, usage

_SECONDS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)


class Metrics:
    """The figures of one server, in a registry of its own."""

    def __init__(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "neurologic_requests", "Requests by route and outcome", ["route", "outcome"], registry=registry
        )
        self._seconds = Histogram(
            "neurologic_request_seconds", "Time to answer", ["route"], buckets=_SECONDS, registry=registry
        )
        self._first_token = Histogram(
            "neurologic_time_to_first_token_seconds",
            "Time until the first bit of a streamed text",
            buckets=_SECONDS,
            registry=registry,
        )
        self._per_text = Histogram(
            "neurologic_text_seconds",
            "Time of a search, from its first step to the verdict",
            buckets=_SECONDS,
            registry=registry,
        )
        self._tokens = Counter("neurologic_tokens", "Tokens of prompts and texts", ["of"], registry=registry)
        self._clauses = Counter("neurologic_clauses", "Clauses by verdict", ["satisfied"], registry=registry)
        self._forced = Counter("neurologic_forced_tokens", "Tokens that a plan forced", registry=registry)
        Gauge("neurologic_running", "Prompts being answered", registry=registry).set_function(running)
        Gauge("neurologic_waiting", "Prompts waiting", registry=registry).set_function(waiting)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer by its status."""
        self._requests.labels(route, outcome(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def first_token(self, seconds: float) -> None:
        """Count the first bit of a streamed text."""
        self._first_token.observe(seconds)

    def wrote(self, choices: Sequence[Choice], n: int) -> None:
        """Count the texts of an answer."""
        counted = usage(choices, n)
        self._tokens.labels("prompts").inc(counted["prompt_tokens"])
        self._tokens.labels("texts").inc(counted["completion_tokens"])
        for choice in choices:
            if choice.index % n == 0:
                self._per_text.observe(choice.result.seconds)
            self._forced.inc(choice.result.forced)
            for report in choice.reports:
                self._clauses.labels(str(report.satisfied).lower()).inc()

    def page(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self._registry)


_OUTCOMES = {408: "timeout", 429: "busy", 499: "cancelled"}


def outcome(status: int) -> str:
    """Name what became of a request.

    >>> [outcome(status) for status in (200, 400, 429, 499, 500)]
    ['ok', 'refused', 'busy', 'cancelled', 'error']
    """
    if status >= 500:
        return "error"
    return "ok" if status < 400 else _OUTCOMES.get(status, "refused")
