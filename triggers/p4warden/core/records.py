"""Records that the rooms share; importing `dataclasses` takes longer than starting Python."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.core.effort import Effort

VERDICTS = ("allow", "observe", "unknown", "delay", "refuse")
"""From the mildest to the most severe."""

MAX_FINDINGS = 100
"""Enough findings of one rule to refuse a view with 20,000 bad lines."""

OWN_PROGRAM = "p4warden"


def is_own_program(prog: str | None) -> bool:
    """Tell whether p4warden's own programs send the command; anyone can choose such a name.

    P4Python appends ` [PY3.11/P4PY...]`.
    """
    return prog is not None and (prog == OWN_PROGRAM or prog.startswith(f"{OWN_PROGRAM} ["))


class FormLine(NamedTuple):
    number: int  # position within the field, from 1, in form order
    text: str  # without indentation, comment and line end; quotes are kept


class Form(NamedTuple):
    fields: Mapping[str, tuple[FormLine, ...]]  # by name in lower case: p4d matches in any case
    problem: str | None = None  # words after `the form`; such a form has no fields
    text: str = ""  # as written, with surrogate escapes; empty if built from fields

    def lines(self, field: str) -> tuple[FormLine, ...]:
        """Return the values of a field (named in lower case); empty if it is absent."""
        return self.fields.get(field, ())

    def value(self, field: str) -> str | None:
        return next((line.text for line in self.lines(field) if line.text), None)


class SubmittedFile(NamedTuple):
    path: str
    action: str  # as p4d names it: `add`, `edit`, `move/add`, ...

    @property
    def is_new(self) -> bool:
        return self.action in _NEW_FILE_ACTIONS


# Actions that create a file (p4 help files, p4 help move); `import` is from a remote depot.
_NEW_FILE_ACTIONS = frozenset({"add", "branch", "import", "move/add"})
MOVABLE = frozenset({"add", "move/add"})
"""Actions of new files that `p4 move` accepts: they are open for add (p4 help move)."""


class BrokenName(NamedTuple):
    """A user-chosen name that broke the words of a trigger line apart, as by a quotation mark."""

    option: str  # such as `client`
    value: str  # as far as it is known; quotation marks may be missing


class Event(NamedTuple):
    """A request to the server, as a trigger describes it; None for an unknown field."""

    event: str  # `form-save`, `form-out`, `command` or `change-submit`
    day: str  # the server's local date, `YYYY-MM-DD`
    type: str | None = None  # as p4d names it: `client`, `stream`, ...
    name: str | None = None
    user: str | None = None
    groups: tuple[str, ...] = ()  # `%groups%`; empty if unknown
    client: str | None = None  # its user can choose any name
    ip: str | None = None
    prog: str | None = None  # its user can choose any name
    version: str | None = None
    form: Form | None = None
    change: str | None = None
    files: tuple[SubmittedFile, ...] | None = None
    is_trial: bool = False  # of a deployment: nobody is exempt, mode observe is enforced too
    is_tampered: bool = False  # a name broke the line's words; uncertain values are left out
    broken_name: BrokenName | None = None

    @property
    def change_number(self) -> str:
        """For a p4 command to copy; `CHANGE` if it is no number."""
        change = self.change or ""
        return change if change.isascii() and change.isdigit() else "CHANGE"


class Depot(NamedTuple):
    type: str  # `local`, `stream`, `spec`, ...
    directories: tuple[str, ...] | None  # top ones; None if unknown or too many to store
    directory_count: int  # 0 if unknown
    confirmed_directories: tuple[str, ...] | None = None  # None if the server was not asked


class WideLine(NamedTuple):
    line: int  # position among the form's depot paths, from 0
    files: int  # estimated, of this line alone
    narrower_directories: tuple[tuple[str, int], ...] = ()  # `//depot/main/lib/`, files


class SpannedFiles(NamedTuple):
    """Numbers of files that a form's include lines span, from the index of a checkpoint."""

    files: int  # in the ranges that p4d scans, each file counted once
    wide_lines: tuple[WideLine, ...] = ()  # if `files` exceeds the limit, widest first


def no_directories() -> tuple[str, ...]:
    """Return the default of `used_directories` in `Facts`."""
    return ()


def unknown_client() -> None:
    """Return the default of `client_exists` in `Facts`."""


class Facts(NamedTuple):
    case_sensitive: bool = True
    depots: Mapping[str, Depot] = {}
    depots_as_of: str = ""  # words after `as of` about an outdated list; empty for a current one
    baseline: Mapping[tuple[str, str, str], int | None] = {}  # of the spec, at a census
    spanned_files: SpannedFiles | None = None
    server_id: str | None = None
    unicode: bool = False  # also if unknown
    # Those (`//depot/main/`) with most synced files of the event's client, then of all clients of
    # the user; called only once a refusal proposes lines.
    used_directories: Callable[[], tuple[str, ...]] = no_directories
    client_exists: Callable[[], bool | None] = unknown_client  # before the event


class Finding(NamedTuple):
    item: str  # as the user wrote it, for example a view line
    place: str  # for display: `View line 3`
    problem: str  # words that follow the item
    value: int | None  # None without a measurement
    limit: int | None  # of the policy
    fix: tuple[str, ...] = ()
    is_warning: bool = False  # it is only logged, even if the rule is enforced
    counted_things: str = ""  # in words, unless `item` names them
    # Lines not in `fix`: each can replace one of it; with all of them the form could be too large.
    further_count: int = 0
    is_decisive: bool = False  # it alone refuses the form; further ones are searched on request
    is_growing: bool = False  # without a change of the spec; a baseline compares the item alone
    short_bytes: int | None = None  # most bytes of a name for the placeholder `SHORT` in `fix`
    advise: Callable[[Finding, Effort], Finding] | None = None  # once the verdict is certain


class Suggestion(NamedTuple):
    """A form that a suggest rule displays in place of the one that p4d would show."""

    form: str  # the text of the whole form
    improvement: str  # words that follow `the form`
    lines: tuple[str, ...]  # the changed lines, with their new text


class Judgement(NamedTuple):
    """The verdict of one rule, after mode and exemptions are applied."""

    rule: str  # its name in the policy
    kind: str  # a key of `RULES`
    summary: str  # constant, so that logs can be grouped by it
    verdict: str
    exemption: str | None = None
    findings: tuple[Finding, ...] = ()
    form: str | None = None  # to display; None to leave the form as it is
    advice: str | None = None  # the administrators' own one to three lines


class Outcome(NamedTuple):
    """The verdict of a policy on an event."""

    verdict: str  # the most severe of all judgements
    judgements: tuple[Judgement, ...] = ()  # one per rule about the event, in policy order
    trouble: str | None = None  # what kept lines or spanned files from being computed

    @property
    def decisive(self) -> Judgement | None:
        if self.verdict == "allow":
            return None
        return next(j for j in self.judgements if j.verdict == self.verdict)

    @property
    def exemption(self) -> str | None:
        return next((j.exemption for j in self.judgements if j.exemption), None)

    @property
    def form(self) -> str | None:
        """Of the last rule in policy order that displays one; None to leave the form unchanged."""
        return next((j.form for j in reversed(self.judgements) if j.form is not None), None)
