"""Main program of form and submit triggers: read the form file, judge, answer p4d.

p4d takes exit code 0 for "go on" and any other for "refuse", and may put the output on success
into the form itself (P4 Server Administrator Guide, triggers). So only a refusal is printed. For a
server with `triggers.io=1` that started this process without the gate, every answer is a
dictionary on standard output and the exit code is always 0.

A failure that keeps an event from being judged is a fault of p4warden; the answer is then the
policy's answer to faults (`on_error`), or the trigger line's `--on-error` if the policy cannot be
read.
"""

from __future__ import annotations

import os
import sys
import time

from p4warden.core.errors import P4WardenError
from p4warden.core.facts import depot_named
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.records import Event, Facts, Outcome
from p4warden.home import active_policy, decisions, off_mark, trial_client, trusted_files
from p4warden.judge.engine import asks_for_census, max_files, needs, noted_events
from p4warden.worker import arguments, form_file
from p4warden.worker.form_text import FormText
from p4warden.worker.processor_time import Allowance

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from p4warden.core.records import SpannedFiles
    from p4warden.judge.view_question import Question
    from p4warden.policy.compiled import Policy

VARIABLE = "P4WARDEN_SUPERVISED"
"""Name of the environment variable by which the gate shows that it started this process."""

WAIT_S, LATE_S = 2.5, 4.0
"""Times in seconds after which the worker gives up a large or slow form, which is a finding about
the form: after `WAIT_S` if it still waits for other workers with such forms, after `LATE_S` if it
is still being judged. The gate ends the worker after 5 s."""


_NO_LIMIT = 1 << 62  # of files: an answer without the widest lines
NO_FACTS = "no facts about the server yet; run p4warden refresh"


class WorkerAnswer(NamedTuple):
    """The worker's answer to p4d about an event.

    Attributes:
        is_refused: whether p4d is told to refuse the form or submit.
        text: the text that the user reads; empty unless the answer is a refusal.
    """

    is_refused: bool
    text: str = ""


def main() -> None:
    """Judge the trigger event in the process's arguments; exit with the code that p4d expects."""
    words = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]]
    line_arguments = arguments.parse(words)
    asks_for_dictionary = line_arguments.get("triggers-io") == "1"
    # Under the gate the answer is plain text, and the gate writes the dictionary of
    # `triggers.io=1` for p4d.
    supervised = VARIABLE in os.environ
    dictionary, has_ended = b"", True
    if asks_for_dictionary or not supervised:
        from p4warden.worker import trigger_dictionary  # noqa: PLC0415 - most forms have a gate

        dictionary, has_ended = trigger_dictionary.read(0)
    if asks_for_dictionary and line_arguments.is_clean:
        line_arguments = _compared(line_arguments, words, dictionary)
    answer = judge(line_arguments, time.time_ns())
    # The line may be for the other setting; with `triggers.io=0` p4d writes no dictionary.
    triggers_io = bool(dictionary) or (asks_for_dictionary and not has_ended)
    code = _deliver(answer, triggers_io=triggers_io and not supervised)
    # Leave out Python's cleanup at exit: p4d, and so the user's command, would wait for it.
    os._exit(code)


def judge(
    line_arguments: arguments.Arguments, now_ns: int, allowance: Allowance | None = None
) -> WorkerAnswer:
    """Judge a trigger event, deliver the decision record, and return the answer for p4d.

    While p4warden is switched off, allow the event without these steps.

    Args:
        line_arguments: the arguments of the trigger line.
        now_ns: the current time, in nanoseconds since the epoch.
        allowance: the limit of processor time for a form; None for the usual one.
    """
    home = line_arguments.get("home") or trusted_files.DEFAULT
    if off_mark.is_off(home, now_ns):
        return WorkerAnswer(is_refused=False)
    policy, began_s = None, time.monotonic()
    try:
        policy = active_policy.policy(home)
        event = _event(line_arguments, now_ns)
        is_trial = trial_client.is_trial(home, (event.name, event.client), now_ns // 10**9)
        has_form = line_arguments.event != "change-submit" and not line_arguments.is_tampered
        text = form_file.read(line_arguments.get("form")) if has_form else None
        form = FormText(
            text,
            allowance or _allowance(home, began_s),
            _span_in(home),
            _directory_finder(home),
            _client_lookup(home),
        )
        result = _judged(policy, event._replace(is_trial=is_trial), form, home, now_ns)
        event, outcome, trouble, unicode = result
        is_refused = outcome.verdict == "refuse"
        if outcome.form is not None and not is_refused:
            form_file.write(line_arguments.get("form") or "", outcome.form)
        record = decisions.decision(event, outcome, policy.digest)
        trouble = trouble or outcome.trouble
        if not is_refused and not is_trial:
            trouble = _note_saved_form(home, policy, event, now_ns // 10**9) or trouble
        record["trouble"] = trouble
        text = _refusal(policy, event, outcome, unicode=unicode) if is_refused else ""
        answer = WorkerAnswer(is_refused, text)
    except (P4WardenError, form_file.FormFileError) as error:
        answer, record = _fault(line_arguments, policy, str(error), None)
    except Exception as error:  # noqa: BLE001 - the one wall: a defect must not decide
        cause = f"{type(error).__name__}: {error}"
        answer, record = _fault(line_arguments, policy, cause, _traceback(error))
    decisions.deliver(home, record, now_ns)
    return answer


def _compared(
    line_arguments: arguments.Arguments, words: list[str], content: bytes
) -> arguments.Arguments:
    """Compare a trigger line's user-chosen values with the dictionary that p4d writes to stdin.

    Returns:
        The line's arguments; if the dictionary disagrees, marked as tampered and without
        user-chosen values.
    """
    from p4warden.worker import trigger_dictionary  # noqa: PLC0415 - with triggers.io=1 only

    dictionary = trigger_dictionary.parse(content)
    broken_name = trigger_dictionary.contradiction(words[1:], dictionary)
    return arguments.distrusted(line_arguments, broken_name) if broken_name else line_arguments


class _JudgedEvent(NamedTuple):
    """A judged trigger event.

    Attributes:
        event: the event, completed from the form and the server.
        outcome: the verdict with its findings.
        trouble: a message if the server did not reply as needed; otherwise None.
        unicode: whether the server is in unicode mode.
    """

    event: Event
    outcome: Outcome
    trouble: str | None = None
    unicode: bool = False


def _judged(policy: Policy, event: Event, form: FormText, home: str, now_ns: int) -> _JudgedEvent:
    """Judge a form or submit event, with facts requested from the server if a rule needs them.

    Without facts.json it is judged as on an unknown server, and the trouble says so.
    """
    form.wait()
    facts_of = (
        active_policy.known_facts if form.is_to_be_read else active_policy.facts_without_depots
    )
    try:
        return _judged_with(facts_of(home), policy, event, form, home, now_ns)
    except active_policy.NoFactsError:
        judged_event = _judged_with(Facts(), policy, event, form, home, now_ns)
        return judged_event._replace(trouble=NO_FACTS)


def _judged_with(
    facts: Facts, policy: Policy, event: Event, form: FormText, home: str, now_ns: int
) -> _JudgedEvent:
    if asks_for_census(policy, event, facts):
        facts = active_policy.facts_about(home, facts, event.type, event.name)
    needed_facts = needs(policy, event, facts)
    if not needed_facts or not form.is_to_be_read:
        return _JudgedEvent(*form.judged(policy, event, facts), unicode=facts.unicode)
    from p4warden.worker import ask_server  # noqa: PLC0415 - a client form asks nothing

    event, facts, trouble = ask_server.completed(home, needed_facts, event, facts)
    if "depots" not in needed_facts:
        return _JudgedEvent(*form.judged(policy, event, facts), trouble, facts.unicode)
    from p4warden.forms.depot_form import type_of  # noqa: PLC0415 - likewise
    from p4warden.worker import pending_depots  # noqa: PLC0415 - likewise

    with pending_depots.locked_list(home, now_ns // 10**9) as pending:
        event, outcome = form.judged(policy, event, pending.counted(facts))
        if outcome.verdict != "refuse" and event.name and not depot_named(facts, event.name):
            pending.add(event.name, type_of(event.form))
    return _JudgedEvent(event, outcome, trouble, facts.unicode)


def _allowance(home: str, began_s: float) -> Allowance:
    def has_place() -> bool:
        from p4warden.worker import places  # noqa: PLC0415 - few forms take long

        return places.take(home, places.number(), began_s + WAIT_S)

    return Allowance(has_place, lambda: time.monotonic() - began_s > LATE_S)


def _span_in(home: str) -> Callable[[Question], SpannedFiles | None]:
    def span(question: Question) -> SpannedFiles | None:
        if not trusted_files.has(home, trusted_files.INDEX):
            return None
        if "P4WARDEN_INDEX" in os.environ:
            from p4warden.worker import gate_index  # noqa: PLC0415 - few policies ask

            return gate_index.spans(question)
        from p4warden.home import span_program  # noqa: PLC0415 - few policies ask

        return span_program.spanned_in_home(home, question)

    return span


def _directory_finder(home: str) -> Callable[[Policy, Event, Facts], tuple[str, ...]]:
    def find_directories(policy: Policy, event: Event, facts: Facts) -> tuple[str, ...]:
        if not trusted_files.has(home, trusted_files.INDEX):
            return ()
        if "P4WARDEN_INDEX" in os.environ:
            from p4warden.worker import gate_index  # noqa: PLC0415 - few forms are refused

            return gate_index.used_directories(max_files(policy, event, facts))
        from p4warden.home import span_program  # noqa: PLC0415 - without a gate
        from p4warden.judge.view_question import used_question  # noqa: PLC0415 - likewise

        return span_program.used_in_home(home, used_question(policy, event, facts))

    return find_directories


def _client_lookup(home: str) -> Callable[[], bool | None] | None:
    """Return the look-up of the event's client; None without an index, or a gate to ask."""
    if "P4WARDEN_INDEX" not in os.environ or not trusted_files.has(home, trusted_files.INDEX):
        return None
    from p4warden.worker import gate_index  # noqa: PLC0415 - few sites have an index

    return gate_index.client_exists


def _note_saved_form(home: str, policy: Policy, event: Event, now_s: int) -> str | None:
    """Note a client or stream form about to be saved, if a rule needs it and there is an index.

    Returns:
        The reason if recording failed, else None.
    """
    is_noted = (event.event, event.type) in noted_events(policy)
    if not is_noted or not trusted_files.has(home, trusted_files.INDEX):
        return None
    from p4warden.worker import saved_forms  # noqa: PLC0415 - few sites have an index

    try:
        saved_forms.note(home, event, now_s, lambda paths: _files_of(home, event, paths))
    except P4WardenError as error:
        return f"the saved form is not noted: {error}"
    return None


def _files_of(home: str, event: Event, paths: tuple[str, ...]) -> int | None:
    from p4warden.judge.view_question import Question  # noqa: PLC0415 - few views are so long

    facts = active_policy.facts_without_depots(home)
    names = (facts.case_sensitive, facts.server_id, event.name, event.user)
    span = _span_in(home)(Question(paths, _NO_LIMIT, *names))
    return span.files if span else None


def _refusal(policy: Policy, event: Event, outcome: Outcome, *, unicode: bool) -> str:
    from p4warden.judge import refusal  # noqa: PLC0415 - most events are not refused

    return refusal.refusal(policy, event, outcome, unicode=unicode)


def _event(line_arguments: arguments.Arguments, now_ns: int) -> Event:
    if not line_arguments.has_known_form:
        raise P4WardenError(arguments.OTHER_FORM)
    return Event(
        event=line_arguments.event,
        day=time.strftime("%Y-%m-%d", time.localtime(now_ns // 10**9)),
        type=line_arguments.get("type"),
        name=line_arguments.get("name"),
        user=line_arguments.get("user"),
        groups=arguments.groups_of(line_arguments.get("groups") or ""),
        client=line_arguments.get("client"),
        ip=line_arguments.get("ip"),
        prog=line_arguments.get("prog"),
        version=line_arguments.get("version"),
        change=line_arguments.get("change"),
        is_tampered=line_arguments.is_tampered,
        broken_name=line_arguments.broken_name,
    )


def _fault(
    line_arguments: arguments.Arguments,
    policy: Policy | None,
    cause: str,
    traceback: str | None,
) -> tuple[WorkerAnswer, dict[str, Any]]:
    """Return the declared answer (`on_error`) to a fault of p4warden, and its log record."""
    is_refused = (policy.on_error if policy else line_arguments.get("on-error")) == "deny"
    fields = {
        name: line_arguments.get(name) for name in ("type", "name", "change", "user", "client")
    }
    verdict = "refuse" if is_refused else "allow"
    record = decisions.fault({"event": line_arguments.event, **fields}, verdict, cause, traceback)
    if not is_refused:
        return WorkerAnswer(is_refused), record
    from p4warden.judge import refusal  # noqa: PLC0415 - as above

    return WorkerAnswer(is_refused, refusal.fault(policy and policy.contact)), record


def _traceback(error: Exception) -> str:
    import traceback  # noqa: PLC0415 - costs every trigger 10 ms, and only a defect needs it

    return "".join(traceback.format_exception(error))


def _deliver(answer: WorkerAnswer, *, triggers_io: bool) -> int:
    """Write the answer to standard output in the shape that p4d expects; return the exit code."""
    text = _dictionary(answer) if triggers_io else answer.text
    try:
        os.write(1, text.encode("utf-8", "backslashreplace"))
    except OSError:
        # p4d has closed the pipe. Without `triggers.io=1` the exit code still carries the answer.
        pass
    return int(answer.is_refused and not triggers_io)


def _dictionary(answer: WorkerAnswer) -> str:
    """Return the answer to p4d as the dictionary of `triggers.io=1`, one pair on a line.

    An allowing answer is written, too, because p4d takes missing output for an error (inferred).
    Published trigger scripts write `%` as `%25` in a message. The escape of a line end is not
    documented, so the message is one line.
    """
    if not answer.is_refused:
        return "action:pass\n"
    message = " / ".join(answer.text.splitlines()).replace("%", "%25")
    return f"action:fail\nmessage:{message}\n"
