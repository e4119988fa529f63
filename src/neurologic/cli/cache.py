"""`neurologic cache`: list what is kept on disk so that it need not be made again, and remove it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

from neurologic.cli.arguments import add_command_parser
from neurologic.cli.jsonl import print_json
from neurologic.cli.messages import SATISFIED, CommandError, say
from neurologic.errors import suggestion
from neurologic.models.cache_entries import CacheEntry, cache_entries, remove_entry
from neurologic.models.cache_folder import cache_folder


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "cache")
    parser.add_argument(
        "--clear", nargs="*", metavar="NAME", help="remove these entries; without a name, all of them"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    entries = cache_entries()
    if arguments.clear is not None:
        for entry in _named(entries, arguments.clear):
            remove_entry(entry)
            say(f"removed {entry.name} ({size_text(entry.bytes)})")
        entries = cache_entries()
    if arguments.json:
        print_json(_document(entries))
    else:
        _print(entries)
    return SATISFIED


def _named(entries: Sequence[CacheEntry], names: Sequence[str]) -> list[CacheEntry]:
    by_name = {entry.name: entry for entry in entries}
    for name in names:
        if name not in by_name:
            raise CommandError(f'the cache has no "{name}"{suggestion(name, by_name)}')
    return [by_name[name] for name in names] if names else list(entries)


def _document(entries: Sequence[CacheEntry]) -> dict[str, Any]:
    return {
        "folder": str(cache_folder()),
        "bytes": sum(entry.bytes for entry in entries),
        "entries": [
            {
                "name": entry.name,
                "path": str(entry.path),
                "bytes": entry.bytes,
                "last_used": entry.last_used,
                "source": entry.source,
            }
            for entry in entries
        ],
    }


def _print(entries: Sequence[CacheEntry]) -> None:
    from neurologic.cli.tables import print_table

    if entries:
        print_table(
            ("name", "size", "last used", "made from"),
            [
                (
                    entry.name,
                    size_text(entry.bytes),
                    time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.last_used)),
                    entry.source,
                )
                for entry in entries
            ],
        )
    total = sum(entry.bytes for entry in entries)
    print(f"{cache_folder()}: {size_text(total) if entries else 'empty'}")


def size_text(count: int) -> str:
    """Return a number of bytes as people read it.

    >>> size_text(700), size_text(1_272_760), size_text(1_976_000_000)
    ('700 B', '1.3 MB', '2.0 GB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 999.95:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
