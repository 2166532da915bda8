"""Events, facts, findings and outcomes: frozen records, nothing else.

They are `NamedTuple`s because the trigger path builds them: importing `dataclasses` alone costs as
much as two bare Python starts (measured: 32 ms against 9 ms for `python3 -I -S`).
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.core.effort import Effort

VERDICTS = ("allow", "observe", "unknown", "delay", "refuse")
"""Every verdict, the mildest first."""

MAX_FINDINGS = 100
"""A rule is not asked for more: a view with 20,000 bad lines is as refused as one with 100."""


class FormLine(NamedTuple):
    """One value of a form's field.

    Attributes:
        number: which value of its field it is, counted from 1 in form order.
        text: the value without indentation, comment and line end; quotes are kept.
    """

    number: int
    text: str


class Form(NamedTuple):
    """A spec form as p4d reads it.

    Attributes:
        fields: values by field name; names are lower case, for p4d matches them in any case.
        problem: why it cannot be read, in words that follow `the form`, or None. A form with a
            problem has no fields.
        text: the form as it was written; bytes that are no UTF-8 as surrogate escapes.
    """

    fields: Mapping[str, tuple[FormLine, ...]]
    problem: str | None = None
    text: str = ""

    def lines(self, field: str) -> tuple[FormLine, ...]:
        """Return the values of a field, named in lower case; none when it is absent."""
        return self.fields.get(field, ())

    def value(self, field: str) -> str | None:
        """Return the first value of a field, or None when it is absent or empty."""
        return next((line.text for line in self.lines(field) if line.text), None)


class SubmittedFile(NamedTuple):
    """A file of a changelist that is being submitted.

    Attributes:
        path: its depot path.
        action: the action on it, as p4d names it (`add`, `edit`, `move/add`, ...).
    """

    path: str
    action: str

    @property
    def is_new(self) -> bool:
        """Whether its path comes to the depot with this change, or comes back."""
        return self.action in _NEW_FILE_ACTIONS


# p4 help files and p4 help move; import is a file that a remote depot brings in.
_NEW_FILE_ACTIONS = frozenset({"add", "branch", "import", "move/add"})


class Event(NamedTuple):
    """One request of a user to the server. Fields that the server did not tell are None.

    Attributes:
        event: `form-save`, `form-out`, `command` or `change-submit`.
        day: the server's local date, `YYYY-MM-DD`.
        type: the form's type, as p4d names it (`client`, `stream`, ...).
        name: the form's name.
        groups: the user's groups, as p4d lists them in `%groups%`.
        client: the client the command comes from, which its user chooses freely.
        prog: the program's name, which its user chooses freely as well.
        change: the number of the changelist that is being submitted.
        files: the files of that changelist.
        is_trial: whether a deploy tries its triggers out: no one is exempt then, and every rule
            is enforced.
        tampered: whether a name that the user chose broke the trigger line apart; uncertain
            fields of the event are None then.
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
    tampered: bool = False


class Depot(NamedTuple):
    """A depot as the server described it.

    Attributes:
        type: `local`, `stream`, `spec`, ...
        directories: its top directories, or None where they are too many to keep.
        directory_count: how many top directories it has.
        confirmed: top directories that the server was asked about just now and that exist,
            whether `directories` has them or not; None where it was not asked.
    """

    type: str
    directories: tuple[str, ...] | None
    directory_count: int
    confirmed: tuple[str, ...] | None = None


class WideLine(NamedTuple):
    """An include line that makes a view span more files than is allowed.

    Attributes:
        line: which of the form's depot paths it is, counted from 0.
        files: an estimate of the files that it spans alone.
        narrower: directories below it (`//depot/main/lib/`), each with its estimate. With the
            lines that are not wide all of them span no more than is allowed.
    """

    line: int
    files: int
    narrower: tuple[tuple[str, int], ...] = ()


class Spanned(NamedTuple):
    """The files that a form's include lines span, by the index of a checkpoint.

    Attributes:
        files: how many there are in the ranges that p4d looks through, each counted once.
        wide: where they are more than is allowed, the lines that make them so, the widest first.
    """

    files: int
    wide: tuple[WideLine, ...] = ()


class Facts(NamedTuple):
    """The known facts of the server.

    Attributes:
        case_sensitive: whether the server tells `A` from `a` in names and paths.
        depots: depots by name.
        counted_by: who says which depots there are, in words that follow `counted by`.
        baseline: of the spec that the event is about, the state when a census was taken:
            the values that were measured, by rule, place and item (see `baseline`).
        spanned: the files that the event's form spans; None where no index tells.
        server_id: the server's `server.id`; None where it has none, or it is not known.
    """

    case_sensitive: bool = True
    depots: Mapping[str, Depot] = {}
    counted_by: str = "the facts given"
    baseline: Mapping[tuple[str, str, str], int | None] = {}
    spanned: Spanned | None = None
    server_id: str | None = None


class Finding(NamedTuple):
    """One thing a rule objects to.

    Attributes:
        item: the offending item as the user wrote it, for example a view line.
        place: where it stands, for people (`View line 3`).
        problem: the problem, in words that follow the item.
        value: the measured value, or None without one.
        limit: the value that the policy allows, or None.
        fix: lines to write instead; none where there is nothing to propose.
        warning: whether it is only to be observed, whatever the rule's mode.
        measured: the counted things, in words, where the item does not tell.
        more: how many lines beside those of `fix` would do as well.
        settles: whether the form is refused for it alone; then nothing else is looked for, unless
            all findings are wanted.
        grows: whether the value grows without a change of the spec, as the number of files below
            a directory does; a baseline then goes by the item alone.
        advise: returns a finding, this one, with the lines to write instead; the engine calls it
            once the verdict is known. None where there is nothing to propose.
    """

    item: str
    place: str
    problem: str
    value: int | None
    limit: int | None
    fix: tuple[str, ...] = ()
    warning: bool = False
    measured: str = ""
    more: int = 0
    settles: bool = False
    grows: bool = False
    advise: Callable[[Finding, Effort], Finding] | None = None


class Suggestion(NamedTuple):
    """A form that a rule would rather show than the server's own.

    Attributes:
        form: the whole form's text.
        improvement: the improvement, in words that follow `the form`.
        lines: the lines that it changes, as they are then.
    """

    form: str
    improvement: str
    lines: tuple[str, ...]


class Judgement(NamedTuple):
    """The judgement of one rule of the policy on an event, after its mode and the exemptions.

    Attributes:
        rule: the rule's name in the policy.
        kind: which rule it is, a key of `RULES`.
        summary: what the rule objects to, the same words every time, so that logs group.
        verdict: one of `VERDICTS`.
        exemption: the exemption that let the event through unjudged, or None.
        findings: the rule's findings, in form order.
        form: the form's text as the rule wants it to be shown; None to leave it.
    """

    rule: str
    kind: str
    summary: str
    verdict: str
    exemption: str | None = None
    findings: tuple[Finding, ...] = ()
    form: str | None = None


class Outcome(NamedTuple):
    """The answer to an event.

    Attributes:
        verdict: the worst of all judgements, in the order of `VERDICTS`.
        judgements: one for each rule that concerns the event, in policy order.
        trouble: the defect for which advice was left out, or None. It changes no verdict.
    """

    verdict: str
    judgements: tuple[Judgement, ...] = ()
    trouble: str | None = None

    @property
    def decisive(self) -> Judgement | None:
        """The first rule in policy order that has the verdict; None when nothing was objected."""
        if self.verdict == "allow":
            return None
        return next(j for j in self.judgements if j.verdict == self.verdict)

    @property
    def exemption(self) -> str | None:
        """The first exemption in policy order that let the event through unjudged, or None."""
        return next((j.exemption for j in self.judgements if j.exemption), None)

    @property
    def form(self) -> str | None:
        """The text that a form is to be shown with, or None to show it as it is."""
        return next((j.form for j in reversed(self.judgements) if j.form is not None), None)
