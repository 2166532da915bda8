"""Frozen records that packages of p4warden share, such as events, facts, findings and outcomes.

They are `NamedTuple`s because triggers build them, and importing `dataclasses` takes longer than
starting Python.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.core.effort import Effort

VERDICTS = ("allow", "observe", "unknown", "delay", "refuse")
"""Every verdict on an event, from the mildest to the most severe."""

MAX_FINDINGS = 100
"""Default for the largest number of findings of a rule on one event: 100 suffice to refuse a view
with 20,000 bad lines.
"""


class FormLine(NamedTuple):
    """One value of a field in a spec form.

    Attributes:
        number: position of the value within its field, counted from 1 in form order.
        text: the value without indentation, comment and line end; quotes are kept.
    """

    number: int
    text: str


class Form(NamedTuple):
    """A spec form as p4d reads it.

    Attributes:
        fields: values by field name; names are lower case, for p4d matches them in any case.
        problem: why the form cannot be read, in words that follow `the form`, or None. A form with
            a problem has no fields.
        text: the form as the user wrote it, with surrogate escapes for bytes that are not UTF-8;
            empty for a form with a problem, or one built from fields.
    """

    fields: Mapping[str, tuple[FormLine, ...]]
    problem: str | None = None
    text: str = ""

    def lines(self, field: str) -> tuple[FormLine, ...]:
        """Return the values of a field of the form; empty if the field is absent.

        The field's name must be in lower case.
        """
        return self.fields.get(field, ())

    def value(self, field: str) -> str | None:
        """Return the first value of a field of the form; None if the field is absent or empty."""
        return next((line.text for line in self.lines(field) if line.text), None)


class SubmittedFile(NamedTuple):
    """A file of a changelist that is being submitted, as a submit trigger sees it.

    Attributes:
        path: the depot path of the file.
        action: the action on the file, as p4d names it (`add`, `edit`, `move/add`, ...).
    """

    path: str
    action: str

    @property
    def is_new(self) -> bool:
        """Whether the submit creates the file in the depot, or creates it again after deletion."""
        return self.action in _NEW_FILE_ACTIONS


# Actions that create a file (p4 help files, p4 help move); `import` is from a remote depot.
_NEW_FILE_ACTIONS = frozenset({"add", "branch", "import", "move/add"})
MOVABLE = frozenset({"add", "move/add"})
"""Actions of new files that `p4 move` accepts: they are open for add (p4 help move)."""


class BrokenName(NamedTuple):
    """A user-chosen name that broke the words of a trigger line apart, as by a quotation mark.

    Attributes:
        option: the option of the trigger line with the name, such as `client`.
        value: the name as far as it is known; quotation marks may be missing.
    """

    option: str
    value: str


class Event(NamedTuple):
    """A request of a user to the server, as a trigger describes it; None for an unknown field.

    Attributes:
        event: `form-save`, `form-out`, `command` or `change-submit`.
        day: the server's local date, `YYYY-MM-DD`.
        type: the form's type, as p4d names it (`client`, `stream`, ...).
        name: the form's name.
        groups: the user's groups, as p4d lists them in `%groups%`; empty if unknown.
        client: the client that the command comes from; its user can choose any name.
        prog: the name of the client program; its user can choose any name.
        change: the number of the submitted changelist.
        files: the files of the submitted changelist.
        is_trial: whether a deployment tests its triggers with this event. No user is exempt then,
            and rules in mode observe are enforced too.
        is_tampered: whether a name chosen by the user broke the words of the trigger line apart;
            the event then lacks the uncertain values.
        broken_name: the name that broke the trigger line apart, if it is known.
    """

    event: str
    day: str
    type: str | None = None
    name: str | None = None
    user: str | None = None
    groups: tuple[str, ...] = ()
    client: str | None = None
    ip: str | None = None
    prog: str | None = None
    version: str | None = None
    form: Form | None = None
    change: str | None = None
    files: tuple[SubmittedFile, ...] | None = None
    is_trial: bool = False
    is_tampered: bool = False
    broken_name: BrokenName | None = None

    @property
    def change_number(self) -> str:
        """The number of the changelist for a p4 command to copy; `CHANGE` if it is no number."""
        change = self.change or ""
        return change if change.isascii() and change.isdigit() else "CHANGE"


class Depot(NamedTuple):
    """Facts about a depot of the server.

    Attributes:
        type: `local`, `stream`, `spec`, ...
        directories: names of the top directories; None if unknown or too many to store.
        directory_count: number of top directories; 0 if unknown.
        confirmed_directories: top directories whose existence the server confirmed while judging
            this event, whether or not `directories` lists them; None if the server was not asked.
    """

    type: str
    directories: tuple[str, ...] | None
    directory_count: int
    confirmed_directories: tuple[str, ...] | None = None


class WideLine(NamedTuple):
    """One of the widest lines of a form's view, with narrower directories to propose instead.

    Attributes:
        line: position of the line among the form's depot paths, counted from 0.
        files: estimated number of files that the line spans alone.
        narrower_directories: directories below the line's path (`//depot/main/lib/`), each with
            its estimated number of files.
    """

    line: int
    files: int
    narrower_directories: tuple[tuple[str, int], ...] = ()


class SpannedFiles(NamedTuple):
    """Numbers of files that a form's include lines span, from the index of a checkpoint.

    Attributes:
        files: number of files in the ranges that p4d scans, each file counted once.
        wide_lines: if `files` exceeds the limit, the widest lines, widest first.
    """

    files: int
    wide_lines: tuple[WideLine, ...] = ()


def no_directories() -> tuple[str, ...]:
    """Return no directories: the default of `used_directories` in `Facts`."""
    return ()


def unknown_client() -> None:
    """Return that it is unknown whether a client exists: the default in `Facts`."""


class Facts(NamedTuple):
    """Facts about the server that rules may use: its depots, their directories, case handling.

    Attributes:
        case_sensitive: whether the server distinguishes `A` from `a` in names and paths.
        depots: the depots, by name.
        depots_as_of: the origin of a list of depots that may be outdated, in words that follow
            `as of`; empty for a current list.
        baseline: for the spec of the event, the values measured when a census was taken, by rule,
            place and item (see `baseline`).
        spanned_files: numbers of files that the event's form spans; None if unknown.
        server_id: the server's `server.id`; None if the server has none, or its id is unknown.
        unicode: whether the server is in unicode mode; False if the mode is unknown.
        used_directories: returns the directories (`//depot/main/lib/`) with most of the synced
            files of the event's client, then those with most of the synced files of all clients of
            the user; called only once a refusal proposes lines.
        client_exists: returns whether the server had the event's client before, by the index and
            the forms saved since; None if that is unknown.
    """

    case_sensitive: bool = True
    depots: Mapping[str, Depot] = {}
    depots_as_of: str = ""
    baseline: Mapping[tuple[str, str, str], int | None] = {}
    spanned_files: SpannedFiles | None = None
    server_id: str | None = None
    unicode: bool = False
    used_directories: Callable[[], tuple[str, ...]] = no_directories
    client_exists: Callable[[], bool | None] = unknown_client


class Finding(NamedTuple):
    """An objection of a rule to an event, with the offending item.

    Attributes:
        item: the offending item as the user wrote it, for example a view line.
        place: the location of the item, for display (`View line 3`).
        problem: the problem, in words that follow the item.
        value: the measured value, or None without a measurement.
        limit: the value that the policy allows, or None.
        fix: lines to write instead; empty if there is no proposal.
        is_warning: whether the finding is only logged, even if the rule is enforced.
        counted_things: the counted things, in words, unless `item` names them.
        further_count: number of further lines, not in `fix`, to choose from. Any of them can take
            the place of a line in `fix`; with all of them the form could exceed a limit.
        is_decisive: whether this finding alone refuses the form; further findings are then
            searched only if all are requested.
        is_growing: whether the value grows without a change of the spec, as the number of files
            below a directory does; a baseline then compares the item alone.
        short_bytes: the largest number of bytes of a name in place of the placeholder `SHORT` in
            `fix`; None without one.
        advise: returns a copy of this finding with the lines to write instead; the engine calls it
            once the verdict is certain. None if there is nothing to propose.
    """

    item: str
    place: str
    problem: str
    value: int | None
    limit: int | None
    fix: tuple[str, ...] = ()
    is_warning: bool = False
    counted_things: str = ""
    further_count: int = 0
    is_decisive: bool = False
    is_growing: bool = False
    short_bytes: int | None = None
    advise: Callable[[Finding, Effort], Finding] | None = None


class Suggestion(NamedTuple):
    """A better form that a suggest rule displays in place of the form that p4d would show.

    Attributes:
        form: the text of the whole form.
        improvement: the improvement, in words that follow `the form`.
        lines: the changed lines, with their new text.
    """

    form: str
    improvement: str
    lines: tuple[str, ...]


class Judgement(NamedTuple):
    """The verdict of one rule of the policy on an event, after mode and exemptions are applied.

    Attributes:
        rule: the rule's name in the policy.
        kind: the kind of the rule, a key of `RULES`.
        summary: a constant text that says what the rule objects to, so that logs can be grouped by
            it.
        verdict: one of `VERDICTS`.
        exemption: the exemption that excused the event from the rule, or None.
        findings: the rule's findings on the event.
        form: the text of the form that the rule proposes to display; None to leave the form as it
            is.
        advice: the administrators' own text for refusals by the rule, one to three lines; or None.
    """

    rule: str
    kind: str
    summary: str
    verdict: str
    exemption: str | None = None
    findings: tuple[Finding, ...] = ()
    form: str | None = None
    advice: str | None = None


class Outcome(NamedTuple):
    """The verdict of a policy on an event, with the judgements of its rules.

    Attributes:
        verdict: the most severe verdict of all judgements, in the order of `VERDICTS`.
        judgements: one for each rule about this kind of event, in policy order.
        trouble: the error that kept proposed lines, or the number of files that the form spans,
            from being computed; or None.
    """

    verdict: str
    judgements: tuple[Judgement, ...] = ()
    trouble: str | None = None

    @property
    def decisive(self) -> Judgement | None:
        """The first judgement in policy order with the event's verdict; None if allowed."""
        if self.verdict == "allow":
            return None
        return next(j for j in self.judgements if j.verdict == self.verdict)

    @property
    def exemption(self) -> str | None:
        """The exemption in the first judgement, in policy order, that has one; otherwise None."""
        return next((j.exemption for j in self.judgements if j.exemption), None)

    @property
    def form(self) -> str | None:
        """The text of the last form in policy order that a rule displays instead of p4d's.

        None to leave the form unchanged.
        """
        return next((j.form for j in reversed(self.judgements) if j.form is not None), None)
