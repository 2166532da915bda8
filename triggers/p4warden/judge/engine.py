"""Judge form and submit events by a policy: the source of every verdict on them.

Only here do modes and exemptions change these verdicts. The gate does the same for commands; data
files contain cases that both must judge alike. Exemptions are judged before rules, so that a rule
cannot stop an account exempt from it, however broken its form is.
"""

from __future__ import annotations

from itertools import islice

from p4warden.core.effort import Effort, EffortSpentError, OutOfTimeError
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.patterns import any_matches
from p4warden.core.records import (
    MAX_FINDINGS,
    VERDICTS,
    Finding,
    Judgement,
    Outcome,
    no_directories,
)
from p4warden.forms.form_parser import parse
from p4warden.judge.exemptions import applies
from p4warden.rules import RULES, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Exemption, Policy, PolicyRule


MAX_ADVICE_STEPS = 10_000
"""Number of steps of work allowed for the proposed lines of an event's findings: under 0.1 s."""


def evaluate(
    policy: Policy, event: Event, facts: Facts, most: int | None = MAX_FINDINGS
) -> Outcome:
    """Judge an event by every rule of the policy that applies to it.

    For a form about to be displayed, each rule sees the changes of the rules before. `most` limits
    the findings of each rule that are not warnings; None for no limit. Proposed lines are computed
    after the verdict; those beyond `MAX_ADVICE_STEPS` in all, or that fail, are left out.
    """
    judgements: list[Judgement] = []
    for rule in rules_for(policy, event):
        judgement = _judge(rule, policy.exemptions, event, facts, most)
        if judgement.form is not None:
            event = event._replace(form=parse(judgement.form))
        judgements.append(judgement)
    verdicts = ["allow", *(judgement.verdict for judgement in judgements)]
    return _advised(Outcome(max(verdicts, key=VERDICTS.index), tuple(judgements)))


def _advised(outcome: Outcome) -> Outcome:
    """Add the rules' proposed lines to the findings about an event, within a budget of work."""
    if not any(j.findings for j in outcome.judgements):
        return outcome
    effort, defects = Effort(MAX_ADVICE_STEPS), list[str]()
    judgements = tuple(
        j._replace(findings=tuple(_with_advice(f, effort, defects) for f in j.findings))
        for j in outcome.judgements
    )
    return outcome._replace(judgements=judgements, trouble=defects[0] if defects else None)


def _with_advice(finding: Finding, effort: Effort, defects: list[str]) -> Finding:
    advised = finding
    try:
        advised = finding.advise(finding, effort) if finding.advise else finding
    except (EffortSpentError, OutOfTimeError):
        pass
    except Exception as defect:  # noqa: BLE001 - a verdict stands without its advice
        defects.append(f"advice failed: {type(defect).__name__}: {defect}")
    return advised._replace(advise=None)


def rules_for(policy: Policy, event: Event) -> tuple[PolicyRule, ...]:
    """Return the rules of the policy that judge an event, in policy order."""
    return tuple(rule for rule in policy.rules if (event.event, event.type) in subscriptions(rule))


def subscriptions(rule: PolicyRule) -> tuple[tuple[str, str | None], ...]:
    """Return the kinds of events that a rule judges: pairs of event and form type or command.

    A rule that is off judges none.
    """
    return () if rule.mode == "off" else RULES[rule.rule].events(settings_of(rule))


def noted_events(policy: Policy) -> tuple[tuple[str, str | None], ...]:
    """Return the kinds of events that triggers record for rules which judge other events.

    For example, saves of clients are recorded for a rule about commands.
    """
    rules = (rule for rule in policy.rules if rule.mode != "off")
    return tuple(event for rule in rules for event in RULES[rule.rule].noted_events)


def asks_for_census(policy: Policy, event: Event, facts: Facts) -> bool:
    """Tell whether the baseline (findings that a census recorded) is needed to judge an event.

    That is so for the save of a form, except in a deployment's test or by a broken trigger line,
    if a rule tolerates findings of the baseline and no exemption excuses the event from it.
    """
    if event.event != "form-save" or event.is_trial or event.is_tampered:
        return False
    rules = (rule for rule in rules_for(policy, event) if lets_stay(rule, event))
    return any(_exemption(policy.exemptions, rule.name, event, facts) is None for rule in rules)


def lets_stay(rule: PolicyRule, event: Event) -> bool:
    """Tell whether a rule has a baseline that has not ended before the day of an event."""
    until = rule.baseline_until
    return rule.baseline and (until is None or event.day <= until)


def needs(policy: Policy, event: Event, facts: Facts) -> frozenset[str]:
    """Return the names of facts to request from the server before an event can be judged.

    Facts needed only by rules that the event is exempt from are left out.
    """
    facts_needed: set[str] = set()
    for rule in () if event.is_tampered else rules_for(policy, event):
        fact_names = RULES[rule.rule].server_facts.get(event.event)
        if fact_names and _exemption(policy.exemptions, rule.name, event, facts) is None:
            facts_needed |= fact_names
    return frozenset(facts_needed)


def max_files(policy: Policy, event: Event, facts: Facts) -> int | None:
    """Return the smallest number of files to which a rule limits the view of an event's form.

    None if no such limit applies. Rules that the event is exempt from are left out.
    """
    if event.event != "form-save" or event.is_tampered:
        return None
    limits = (
        limit
        for rule in rules_for(policy, event)
        if (limit := rule.settings.get("max_files")) is not None
        and _exemption(policy.exemptions, rule.name, event, facts) is None
    )
    return min(limits, default=None)


def _judge(
    rule: PolicyRule,
    exemptions: Iterable[Exemption],
    event: Event,
    facts: Facts,
    most: int | None,
) -> Judgement:
    summary = RULES[rule.rule].summary
    judgement = Judgement(rule.name, rule.rule, summary, "allow", advice=rule.advice)
    mode = mode_for(rule, event, facts)
    exemption = _exemption(exemptions, rule.name, event, facts)
    if exemption:
        return judgement._replace(exemption=exemption.used_as)
    if event.is_tampered:
        return _of_tampered(mode, judgement, event)
    if event.event == "form-out":
        return _suggest(rule, mode, judgement, event, facts)
    if _is_undecidable(rule, event, facts):
        return judgement._replace(verdict="unknown")
    if mode != "enforce":
        # Directories in use are looked up for proposals only if the rule can refuse the event.
        facts = facts._replace(used_directories=no_directories)
    findings = _findings(rule, event, facts, most)
    if not findings and _is_partly_undecided(rule, event, facts):
        return judgement._replace(verdict="unknown")
    return judgement._replace(verdict=_verdict(mode, findings), findings=findings)


def _of_tampered(mode: str, judgement: Judgement, event: Event) -> Judgement:
    """Judge an event whose trigger line a value chosen by a user broke apart.

    An enforced rule refuses the event, unless a form is to be displayed, which stays unchanged.
    """
    from p4warden.judge import tampered_line  # noqa: PLC0415 - few lines break apart

    finding = tampered_line.finding(event)._replace(is_warning=event.event == "form-out")
    verdict = _verdict(mode, (finding,))
    return judgement._replace(summary=tampered_line.SUMMARY, verdict=verdict, findings=(finding,))


def _is_undecidable(rule: PolicyRule, event: Event, facts: Facts) -> bool:
    """Tell whether a rule's verdict is `unknown`, because the form, files or facts are missing."""
    if (event.files if event.event == "change-submit" else event.form) is None:
        return True
    if event.form and event.form.problem:
        return False
    return RULES[rule.rule].is_undecidable(settings_of(rule), event, facts)


def _is_partly_undecided(rule: PolicyRule, event: Event, facts: Facts) -> bool:
    """Tell whether a rule without findings lacked facts to judge some part of an event."""
    return RULES[rule.rule].is_partly_undecided(settings_of(rule), event, facts)


def _verdict(mode: str, findings: tuple[Finding, ...]) -> str:
    if not findings:
        return "allow"
    acts = mode == "enforce" and not all(finding.is_warning for finding in findings)
    return "refuse" if acts else "observe"


def mode_for(rule: PolicyRule, event: Event, facts: Facts) -> str:
    """Return a rule's effective mode: `observe` for users outside the canary of an enforced rule.

    For a deployment's test event the mode is always `enforce`.
    """
    if event.is_trial:
        return "enforce"
    if rule.canary is None or rule.mode != "enforce":
        return rule.mode
    conditions = ((rule.canary.users, (event.user,)), (rule.canary.groups, event.groups))
    is_in_canary = (
        any_matches(patterns or (), names, case_sensitive=facts.case_sensitive)
        for patterns, names in conditions
    )
    return "enforce" if any(is_in_canary) else "observe"


def _suggest(
    rule: PolicyRule, mode: str, judgement: Judgement, event: Event, facts: Facts
) -> Judgement:
    """Apply a `suggest_...` rule to a form about to be displayed; only if enforced it changes it.

    An unreadable form stays unchanged.
    """
    if event.form is None:
        return judgement._replace(verdict="unknown")
    if event.form.problem:
        return judgement
    suggest = RULES[rule.rule].suggest
    suggestion = suggest and suggest(settings_of(rule), event, facts)
    if suggestion is None:
        return judgement
    if mode == "enforce":
        return judgement._replace(form=suggestion.form)
    finding = Finding(
        event.name or "",
        "The form",
        suggestion.improvement,
        None,
        None,
        suggestion.lines,
        is_warning=True,
    )
    return judgement._replace(verdict="observe", findings=(finding,))


def _findings(
    rule: PolicyRule, event: Event, facts: Facts, most: int | None
) -> tuple[Finding, ...]:
    if event.form and event.form.problem:
        return (Finding(event.name or "", "The form", event.form.problem, None, None),)
    find = RULES[rule.rule].find
    findings = find(settings_of(rule), event, facts) if find else ()
    warnings: list[Finding] = []
    objections = (
        finding
        for finding in findings
        if not (finding.is_warning and _note_warning(warnings, finding))
    )
    if lets_stay(rule, event) and not event.is_trial:
        from p4warden.judge.baseline import unless_held_back  # noqa: PLC0415 - likewise

        kept_findings = unless_held_back(rule.name, objections, facts, most)
    elif most is None:
        kept_findings = tuple(objections)
    else:
        kept_findings = tuple(islice(_until_settled(objections), most))
    return kept_findings or tuple(warnings)


def _until_settled(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a rule's findings; stop after the first one that suffices to refuse the form."""
    for finding in findings:
        yield finding
        if finding.is_decisive:
            return


def _note_warning(warnings: list[Finding], finding: Finding) -> bool:
    """Append a warning, up to `MAX_FINDINGS` of them; always return True, for a filter."""
    if len(warnings) < MAX_FINDINGS:
        warnings.append(finding)
    return True


def _exemption(
    exemptions: Iterable[Exemption], rule: str, event: Event, facts: Facts
) -> Exemption | None:
    if event.is_trial:
        return None
    return next((e for e in exemptions if applies(e, rule, event, facts)), None)
