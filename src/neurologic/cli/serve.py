"""`neurologic serve`: OpenAI's HTTP API for texts that obey formulas."""

from __future__ import annotations

import argparse
import ipaddress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from neurologic.cli.arguments import add_command_parser, add_model_options, load_model, positive_int
from neurologic.cli.messages import SATISFIED, CommandError
from neurologic.errors import missing_extra, system_reason
from neurologic.serve.limits import ServerLimits

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_LARGEST_PORT = 65535


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "serve")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)")
    parser.add_argument(
        "--port", type=_port, default=8000, metavar="N", help="the port; 0 takes a free one (default: 8000)"
    )
    parser.add_argument(
        "--batch-size", type=positive_int, default=8, metavar="N", help="texts at a time (default: 8)"
    )
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=N",
        help="change a limit, such as waiting=128; repeatable (docs: guides/server)",
    )
    group = parser.add_argument_group("access")
    group.add_argument(
        "--api-key-file",
        metavar="FILE",
        help="a file with a key per line; clients must show one of them, except for /health",
    )
    group.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which clients may call the server; repeatable "
        "(default: localhost if it listens there only, else any)",
    )
    group.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let web pages of another server use this one, such as https://example.org; repeatable",
    )
    group.add_argument("--log-prompts", action="store_true", help="log prompts, constraints and texts too")
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    for package in ("fastapi", "prometheus_client", "uvicorn"):
        if find_spec(package) is None:
            raise CommandError(missing_extra(package, "serve", "neurologic serve"))
    try:
        limits = ServerLimits().changed(arguments.limit)
    except ValueError as error:
        raise CommandError(f"--limit: {error}") from error
    hosts = tuple(arguments.allow_host)
    if not hosts and _is_loopback(arguments.host):
        hosts = _LOOPBACK_NAMES
    keys = () if arguments.api_key_file is None else _keys(arguments.api_key_file)

    from neurologic.serve.app import Access
    from neurologic.serve.server import make_server, serve

    server = make_server(
        lambda: load_model(arguments),
        model=_name(arguments.model),
        host=arguments.host,
        port=arguments.port,
        places=arguments.batch_size,
        limits=limits,
        access=Access(keys, hosts, tuple(arguments.allow_origin)),
        log_prompts=arguments.log_prompts,
    )
    serve(server)
    return SATISFIED


def _name(model: str) -> str:
    """Return the name of a model for clients: of a folder or file only the last part."""
    return Path(model).name if Path(model).exists() else model


def _keys(path: str) -> tuple[str, ...]:
    """Read keys, one per line; blank lines and lines that begin with # are none."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CommandError(f"cannot read {path}: {system_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8") from error
    keys = tuple(key for line in lines if (key := line.strip()) and not key.startswith("#"))
    if not keys:
        raise CommandError(f"{path} has no key; write one per line")
    return keys


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LARGEST_PORT:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to {_LARGEST_PORT}, not {text!r}")
    return int(text)
