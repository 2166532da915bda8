from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import click

from p4warden.asking import form_text
from p4warden.commands.options import together
from p4warden.core.errors import P4WardenError, os_errors_as
from p4warden.policy.judged import NO_POLICY, judging_by

event_options = together(
    click.option("--type", metavar="TYPE", help="Type of the form: client, stream, ..."),
    click.option("--form", metavar="FILE", help="The form's text; - for standard input."),
    click.option(
        "--event", type=click.Choice(["form-save", "form-out"]), help="Event of the form."
    ),
    click.option("--name", metavar="NAME", help="Name of the form; default: as in its text."),
    click.option("--command", metavar="COMMAND", help="A command, such as fstat."),
    click.option("--args", metavar="TEXT", help="The command's arguments, quoted as in a shell."),
    click.option(
        "--pressure", type=click.Choice(["low", "medium", "high"]), help="Pressure on the server."
    ),
    click.option(
        "--lock-waiters",
        type=click.IntRange(0),
        metavar="N",
        help="Sessions that wait for locks on the server's tables.",
    ),
    click.option("--user", metavar="USER", help="The user."),
    click.option("--groups", metavar="A,B", help="The user's groups."),
    click.option("--client", metavar="CLIENT", help="The client."),
    click.option("--program", "prog", metavar="PROGRAM", help="The program."),
    click.option("--ip", metavar="ADDRESS", help="The IP address."),
)


def event_given(file: str | None, options: dict[str, str | None]) -> dict[str, Any]:
    """Return the event in a JSON file, or the event that command-line options describe.

    The event gets the present time if it has none, so that all its judgements use the same moment.

    Raises:
        click.UsageError: the command line does not describe exactly one event.
        P4WardenError: a file cannot be read, or is not a JSON object.
    """
    values = {name: value for name, value in options.items() if value is not None}
    if (file is None) == (not values):
        raise click.UsageError("specify a file with the event, or describe the event by options")
    event = read_object(file) if file else _option_fields(values)
    return {"time": time.time(), **event}


def read_object(file: str) -> dict[str, Any]:
    """Read a JSON object from a file; `-` is standard input.

    Raises:
        P4WardenError: the file cannot be read, or has other content.
    """
    try:
        document = json.loads(_read(file))
    except (ValueError, RecursionError) as error:
        raise P4WardenError(f"{display_name(file)}: invalid JSON: {error}") from error
    if not isinstance(document, dict):
        raise P4WardenError(
            f"{display_name(file)}: not a JSON object (one event, as for evaluate)"
        )
    return document


def display_name(file: str) -> str:
    """Return the name of an event's file for messages: `standard input` for `-`."""
    return "standard input" if file == "-" else file


def completed(event: dict[str, Any], options: dict[str, str | None]) -> dict[str, Any]:
    """Add the values of command-line options to an event from the server or the decision log.

    Raises:
        click.UsageError: an option describes another event, or has an invalid value.
        P4WardenError: a file cannot be read.
    """
    values = {name: value for name, value in options.items() if value is not None}
    if values.keys() & {"type", "command", "event", "name"}:
        raise click.UsageError(
            "--type, --event, --name and --command describe an event of another type"
        )
    return {"time": time.time(), **event, **_values(values)}


def _option_fields(values: dict[str, str]) -> dict[str, Any]:
    if ("type" in values) == ("command" in values):
        raise click.UsageError("describe a form with --type, or a command with --command")
    event: dict[str, Any] = {"event": "form-save", **values, **_values(values)}
    if "command" in values:
        event = {"args": [], **event, "event": "command"}
    if "form" in values:
        event.setdefault("name", _name_in_form(event["form"], event.get("type", "")))
    return event


def _name_in_form(form: str, form_type: str) -> str | None:
    with judging_by(NO_POLICY) as judge:
        return form_text.value(form_text.read(judge, form).fields, form_type)


def _values(options: dict[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {**options}
    if "args" in options:
        values["args"] = _words(options["args"])
    if "form" in options:
        values["form"] = _read(options["form"]).decode("utf-8", "surrogateescape")
    if "groups" in options:
        values["groups"] = [group for group in options["groups"].split(",") if group]
    return values


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"--args: {error}") from error


def _read(file: str) -> bytes:
    with os_errors_as(P4WardenError, f"{display_name(file)}: cannot be read"):
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
