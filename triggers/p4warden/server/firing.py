# p4warden judges the events of a temporary client as if every rule were enforced and no user
# exempt, and logs every verdict. So the log shows whether a trigger ran with this home folder, and
# the server's reply shows whether the verdict takes effect.

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from P4 import P4Exception

from p4warden.core import facts as known_facts
from p4warden.home import account, program_start, trial_client
from p4warden.home.decision_log import DecisionLogTail
from p4warden.policy.judged import judging_by
from p4warden.server.connection_failure import message_of
from p4warden.server.questions import ask, local_depot
from p4warden.server.table_form import read_form, server_of
from p4warden.table import instances
from p4warden.table.called_programs import called_programs
from p4warden.table.trigger_lines import subscribed_commands, subscribed_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import P4

    from p4warden.asking.judge import Judge
    from p4warden.core.records import Facts
    from p4warden.policy.compiled import Policy

    Note = Callable[[str], None]

_NOWHERE = "//{depot}/p4warden/trial/of/a/path/that/is/not/there"
_HARMLESS = {
    "fstat": (_NOWHERE,),
    "files": (_NOWHERE,),
    "dirs": (_NOWHERE,),
    "have": (_NOWHERE,),
    "sync": ("-n", _NOWHERE),
    "filelog": ("-m1", _NOWHERE),
    "changes": ("-m1", _NOWHERE),
    "opened": (_NOWHERE,),
    "sizes": (_NOWHERE,),
    "print": ("-q", _NOWHERE),
}
"""Commands that only read, with arguments that cost the server little."""

_DEEPEST = 20
_MOST_CHARACTERS = 64 * 1024
"""In a form that a test saves."""
_UNNAMED_REFUSAL = "Unexpected return code from trigger"
# p4d's words for a trigger that refused, that with triggers.io=1 answered no dictionary, and that
# could not be started (Perforce API msgs/msgserver.cc 47, 675, 889; sys/runcmd.cc). That it sends
# the last ones without a trigger's name is inferred.
_TRIGGER_REFUSALS = (
    "validation failed",
    "indecipherable output",
    "Execution Failed",
    _UNNAMED_REFUSAL,
)
_MOST_SHOWN = 300
_NOT_RUN = "no trigger of this installation ran: the decision log has no record of it"


class TrialResult(NamedTuple):
    """`problem` is the observed behaviour if it differs, `not_tested` why no test was possible."""

    behaviour: str
    problem: str | None = None
    not_tested: str | None = None


def forget_the_last(p4: P4.P4, home: str, note: Note) -> None:
    """Delete the client of an interrupted test, or tell `note`; HomeError if its name stays."""
    last = trial_client.announced(home)
    if last:
        _delete(p4, home, last.client, note)


def _delete(p4: P4.P4, home: str, client: str, note: Note) -> None:
    try:
        ask(p4, "client", "-d", "-f", client)
    except P4Exception as error:
        if _exists(p4, client):
            cause = " ".join(message_of(error).split())
            note(
                f"the temporary client {client} could not be deleted: {cause}; delete it with "
                f"p4 client -d -f {client}"
            )
            return
    trial_client.withdraw(home)


def _exists(p4: P4.P4, client: str) -> bool:
    """True as well if the server does not answer."""
    try:
        return bool(ask(p4, "clients", "-e", client))
    except P4Exception:
        return True


class Trial:
    """The triggers must use a home folder on this host."""

    def __init__(self, p4: P4.P4, home: str, policy: Policy, facts: Facts, note: Note) -> None:
        """`p4` is connected as a super user; `note` gets a line if the client stays."""
        self._p4 = p4
        self._home = home
        self._policy = policy
        self._facts = facts
        self._note = note
        self._client = ""
        self._log = DecisionLogTail(home)
        self._owner = instances.installed(home).owner

    def fire(self, now_s: int) -> Iterator[TrialResult]:
        elsewhere = self._elsewhere()
        if elsewhere:
            yield TrialResult("triggers fire", not_tested=elsewhere)
            return
        forget_the_last(self._p4, self._home, self._note)
        self._client = self._free_name()
        depot = local_depot(self._p4)
        before, self._p4.client = self._p4.client, self._client
        trial_client.announce(self._home, self._client, now_s)
        try:
            yield from self._forms(depot)
            yield self._command(depot)
        finally:
            _delete(self._p4, self._home, self._client, self._note)
            self._p4.client = before

    def _free_name(self) -> str:
        """A new name if someone has taken that of this home's client."""
        name = trial_client.name(self._home)
        return trial_client.renew(self._home) if _exists(self._p4, name) else name

    def _elsewhere(self) -> str | None:
        """Return why the triggers cannot be tested: the server's root folder is not on this host.

        None if it is, or if the server does not tell its root folder.
        """
        root = server_of(self._p4).root
        if not root or Path(root).is_dir():
            return None
        return (
            f"the server's root {root} is not on this host, so its triggers do not use "
            f"{self._home}; run p4warden deploy verify on the server's own host"
        )

    def _forms(self, depot: str) -> Iterator[TrialResult]:
        """The refused form maps a whole depot if possible."""
        views = self._views(depot)
        wide, narrow = "a client that maps a whole depot is refused", "a narrow client is accepted"
        if ("form-save", "client") not in subscribed_events(self._policy):
            yield TrialResult(wide, not_tested="no rule is about saving clients")
            return
        with judging_by(self._policy, known_facts.to_document(self._facts)) as judge:
            to_refuse = self._forms_to_refuse(judge, wide, views[0])
            refused = next((one for one in to_refuse if self._is_refused(judge, one[1])), None)
            forms = map(self._form, views[1:])
            form = next((form for form in forms if not self._is_refused(judge, form)), None)
        if refused:
            yield self._save(*refused, must_be_refused=True)
        else:
            reason = "no rule refuses such a view or another test client"
            yield TrialResult(wide, not_tested=reason)
        if form:
            yield self._save(narrow, form, must_be_refused=False)
        else:
            yield TrialResult(narrow, not_tested="the policy refuses every test view")

    def _forms_to_refuse(self, judge: Judge, wide: str, view: str) -> Iterator[tuple[str, str]]:
        if any(rule.rule == "limit_view_scope" for rule in self._policy.rules):
            yield wide, self._form(view)
        for rule in self._policy.rules:
            if rule.mode != "off":
                question = {"ask": "witness", "rule": rule.name, "people": [{}], "trial": True}
                answer = judge.question(question)
                event = answer.get("event", {})
                if (event.get("event"), event.get("type")) == ("form-save", "client"):
                    form = event["form"].replace(event["name"], self._client)
                    if len(form) <= _MOST_CHARACTERS:
                        yield f"{answer['description']} is refused", form

    def _views(self, depot: str) -> list[str]:
        """Return one-line views: a depot, then ever deeper paths."""
        names = ["p4warden", "trial", *["deeper"] * _DEEPEST]
        paths = ["/".join(["", *names[:depth]]) for depth in range(_DEEPEST)]
        return [f"//{depot}{path}/... //{self._client}/..." for path in paths]

    def _form(self, view: str) -> str:
        return (
            f"Client:\t{self._client}\n\nOwner:\t{self._p4.user}\n\nRoot:\t/nowhere\n\n"
            "Description:\n\tTemporary client for a test of p4warden's triggers.\n\n"
            f"View:\n\t{view}\n"
        )

    def _is_refused(self, judge: Judge, form: str) -> bool:
        spec = {"type": "client", "name": self._client, "form": form}
        verdict: str = judge.ask({"event": "form-save", **spec, "trial": True})["verdict"]
        return verdict == "refuse"

    def _save(self, behaviour: str, form: str, *, must_be_refused: bool) -> TrialResult:
        self._p4.input = form
        message = self._refusal("client", "-i")
        has_run = self._log.has(name=self._client, trial=True)
        if not has_run or self._is_anothers(message):
            return self._not_run(behaviour, message)
        if must_be_refused and not message:
            return TrialResult(behaviour, "p4warden refused it, but the server accepted it")
        if message and not must_be_refused:
            return TrialResult(behaviour, f"it was refused: {message}")
        return TrialResult(behaviour)

    def _command(self, depot: str) -> TrialResult:
        """Tell whether a trigger judged a harmless command covered by the policy."""
        commands = subscribed_commands(self._policy)
        command = next((name for name in _HARMLESS if name in commands), None)
        behaviour = f"{command or 'a command'} is judged"
        if not commands:
            return TrialResult(behaviour, not_tested="no rule is about commands")
        if command is None:
            return TrialResult(
                behaviour, not_tested=f"no command here is safe to run ({', '.join(commands)})"
            )
        message = self._refusal(command, *(w.format(depot=depot) for w in _HARMLESS[command]))
        has_run = self._log.has(client=self._client, event="command", trial=True)
        return TrialResult(behaviour) if has_run else self._not_run(behaviour, message)

    def _refusal(self, command: str, *words: str) -> str:
        try:
            ask(self._p4, command, *words)
        except P4Exception as error:
            return str(error).strip()
        return ""

    def _not_run(self, behaviour: str, message: str) -> TrialResult:
        if self._is_anothers(message):
            cause = f"another trigger refuses it: {_cause(message)}"
            return TrialResult(behaviour, not_tested=cause)
        said = f"; the server said: {message}" if message else ""
        return TrialResult(behaviour, f"{_NOT_RUN}{said}")

    def _is_anothers(self, message: str) -> bool:
        """Another p4warden installation counts, too, because its lines have other names."""
        if not any(words in message for words in _TRIGGER_REFUSALS):
            return False
        if _UNNAMED_REFUSAL in message:
            return self._own_programs_start()
        return f"'{self._owner.prefix}" not in message and f"--home={self._home}" not in message

    def _own_programs_start(self) -> bool:
        """Tell whether p4d can start every program of the present lines."""
        rows = self._owner.rows_in(read_form(self._p4))
        p4d = account.owner_of(self._home)
        return not any(
            program_start.try_start(program.words, program.event, p4d)
            for program in called_programs(rows)
        )


def _cause(message: str) -> str:
    """At most `_MOST_SHOWN` characters, as p4d may show the whole command it could not start."""
    lines = message.splitlines()
    line_numbers = (n for n, line in enumerate(lines) if "validation failed" in line)
    first = next(line_numbers, None)
    text = message if first is None else "\n".join(lines[first : first + 2])
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
