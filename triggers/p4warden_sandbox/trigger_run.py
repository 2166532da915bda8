# Sources: `p4 help triggers` and the P4 Server Administration Guide for events, variables and
# results; Perforce API source sys/runcmd.cc and support/strops.cc for starting a process from a
# command line. Behaviour without a source is marked "inferred".

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import OS_ERROR, TRIGGER_FAILED, TRIGGER_GARBLED, TRIGGER_UNEXPECTED
from p4warden_sandbox.trigger_dictionary import dictionary, read_answer
from p4warden_sandbox.trigger_programs import copies
from p4warden_sandbox.trigger_table import change_rows, command_rows, form_rows
from p4warden_sandbox.wire import to_bytes, to_text
from p4warden_sandbox.words import expand, split_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden_sandbox.connection_process import ConnectionProcess
    from p4warden_sandbox.depot_files import DepotFiles
    from p4warden_sandbox.processes import ProcessResult, TriggerProcesses
    from p4warden_sandbox.settings import Settings
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.store import Store
    from p4warden_sandbox.trigger_table import Row

# A trigger's argument vector has room for 1,024 entries, the last of which is the NULL at its end
# (sys/runcmd.cc, CMD_ARGSIZE).
MAX_ARGUMENTS = 1023
_MAY_REWRITE = frozenset({"form-out", "form-in"})
_WRITABLE = 0o200


class FormEvent(NamedTuple):
    """`definition` is the definition string (specdef) of the form's fields."""

    kind: str
    form: str
    name: str
    text: str
    definition: str


class ChangeEvent(NamedTuple):
    """`old_number` is that before the submit, `root` the common depot path of the files."""

    kind: str
    number: str
    old_number: str
    root: str
    files: tuple[str, ...]


class FormTriggersResult(NamedTuple):
    """The form text afterwards, and the triggers' outputs."""

    text: str
    outputs: list[str]


class TriggerHost(NamedTuple):
    settings: Settings
    store: Store
    files: DepotFiles
    children: TriggerProcesses
    temp_folder: Path


class TriggerRunner:
    def __init__(self, host: TriggerHost) -> None:
        self._host = host
        self._store = host.store
        self._first_table: Spec | None = None
        self._process: ConnectionProcess | None = None

    @property
    def _table(self) -> Spec:
        """With the variant `table=connection`, the one that the connection used first."""
        if not self._host.settings.behaves("table", "connection"):
            return self._store.triggers
        if self._first_table is None:
            self._first_table = self._store.triggers
        return self._first_table

    def command(self, event: str, variables: Mapping[str, str]) -> list[str]:
        """Return the outputs that are not empty; raise CommandError once a trigger failed."""
        way = self._host.settings.variant("command-pattern")
        return self._run(command_rows(self._table, event, way), variables)

    def change(self, event: ChangeEvent, variables: Mapping[str, str]) -> list[str]:
        store = self._store
        table_rows = change_rows(
            self._table, event.kind, event.files, case_sensitive=store.case_sensitive
        )
        facts = {
            "change": event.number,
            "changelist": event.number,
            "changeroot": event.root,
            "oldchangelist": event.old_number,
        }
        return self._run(table_rows, {**variables, **facts})

    def form(self, event: FormEvent, variables: Mapping[str, str]) -> FormTriggersResult:
        # Only form-out and form-in triggers can change the text; a form-save, form-commit or
        # form-delete trigger that writes to the form file changes nothing (P4 Server
        # Administration Guide, "Triggering on forms"). The variant `form-file-mode` determines the
        # mode of the file, but for form-out and form-in triggers it is always writable.
        table_rows = list(form_rows(self._table, event.kind, event.form))
        if not table_rows:
            return FormTriggersResult(event.text, [])
        try:
            return self._with_file(event, table_rows, variables)
        except OSError as error:
            reason = error.strerror or ""
            raise CommandError(OS_ERROR, operation="open", arg="form", errmsg=reason) from None

    def _with_file(
        self, event: FormEvent, table_rows: list[Row], variables: Mapping[str, str]
    ) -> FormTriggersResult:
        handle, path = tempfile.mkstemp(prefix="form-", dir=self._host.temp_folder)
        file = Path(path)
        rewritten = event.kind in _MAY_REWRITE
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(to_bytes(event.text))
                os.fchmod(handle, self._form_mode() | (_WRITABLE if rewritten else 0))
            facts = {
                "formfile": path,
                "formname": event.name,
                "formtype": event.form,
                "specdef": event.definition,
            }
            outputs = self._run(table_rows, {**variables, **facts})
            text = to_text(file.read_bytes()) if rewritten else event.text
        finally:
            file.unlink(missing_ok=True)
        return FormTriggersResult(text, outputs)

    def _run(self, table_rows: Iterable[Row], variables: Mapping[str, str]) -> list[str]:
        outputs = [self._run_row(row, variables) for row in table_rows]
        return [text for text in outputs if text]

    def _form_mode(self) -> int:
        return int(self._host.settings.variant("form-file-mode"), 8)

    def _run_row(self, row: Row, variables: Mapping[str, str]) -> str:
        host = self._host
        with copies(host.files, row, host.temp_folder) as programs:
            return self._run_command(row, {**variables, **self._line_variables(row)}, programs)

    def _run_command(
        self, row: Row, variables: Mapping[str, str], programs: Mapping[str, str]
    ) -> str:
        unknown = self._host.settings.variant("unknown-variables")
        command = expand(row.command, {**variables, **programs, "quote": '"'}, unknown)
        arguments = split_command(command)
        if arguments[:1] == ["pass"]:
            return ""
        if arguments[:1] == ["fail"]:
            raise _failure(row, " ".join(arguments[1:]))
        if not arguments:
            raise _failure(row, "Missing command!")
        if len(arguments) > MAX_ARGUMENTS:
            raise _failure(row, "Too many options on command!")
        try:
            finished = self._run_program(arguments, self._standard_input(variables))
        except OSError as error:
            raise self._unstarted(row, command, os.strerror(error.errno or 0)) from None
        return self._judged(row, finished)

    def close(self) -> None:
        """End the connection."""
        if self._process:
            self._host.children.end(self._process)

    def _run_program(self, arguments: list[str], standard_input: bytes) -> ProcessResult:
        children = self._host.children
        if not self._host.settings.behaves("processes", "connection"):
            return children.run(arguments, standard_input)
        self._process = self._process or children.connection()
        return children.run_within(self._process, arguments, standard_input)

    def _standard_input(self, variables: Mapping[str, str]) -> bytes:
        if not self._store.triggers_io:
            return b""
        variant = self._host.settings.variant
        return dictionary(variables, variant("dictionary-notation"), variant("dictionary-values"))

    def _unstarted(self, row: Row, command: str, reason: str) -> CommandError:
        match self._host.settings.variant("unstarted-trigger"):
            case "unwrapped":
                return CommandError(
                    OS_ERROR, operation="Execution Failed", arg=command, errmsg=reason
                )
            case "unexpected":
                return CommandError(TRIGGER_UNEXPECTED)
        return _failure(row, f"Execution Failed: {command}: {reason}")

    def _line_variables(self, row: Row) -> dict[str, str]:
        action = {"triggerMeta_action": row.command} if self._store.triggers_io else {}
        return {
            "triggerMeta_name": row.name,
            "triggerMeta_trigger": row.type,
            "triggerMeta_depotFile": row.path,
            **action,
        }

    def _judged(self, row: Row, finished: ProcessResult) -> str:
        """Return the text from a trigger that allows its event; with triggers.io=1 its message."""
        output = to_text(finished.output)
        if self._store.triggers_io:
            return _answered(row, output)
        text = output.removesuffix("\n").removesuffix("\r")
        defects = self._host.settings.defects
        if finished.status and "exit-codes-ignored" not in defects:
            raise _failure(row, text.split("\n")[0] if "first-lines-only" in defects else text)
        return text


def _failure(row: Row, text: str) -> CommandError:
    return CommandError(TRIGGER_FAILED, trigger=row.name, result=text or "no error message")


def _answered(row: Row, output: str) -> str:
    answer = read_answer(output)
    if answer is None:
        raise CommandError(TRIGGER_GARBLED, trigger=row.name, type=row.type)
    if not answer.is_pass:
        raise _failure(row, answer.message)
    return answer.message


def unread_messages(error: CommandError) -> list[str]:
    """Return the output of a failed trigger that cannot refuse; the client gets it anyway."""
    return [message.values["result"] for message in error.stack if message.kind == TRIGGER_FAILED]
