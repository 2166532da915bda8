from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER, USER
from p4warden.prove.experiments.login import STREAMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

COMMENT = "prove-comment"
_CLIENT, _STREAM_CLIENT = "prove-form", "prove-stream"
_WORDS = ("--form=%formfile%", "--name=%formname%")
_OTHER_FORMS = {
    "branch": (
        USER,
        "Branch:\tprove-branch\nView:\n\t//depot/prove/a/... //depot/prove/z/...\n",
    ),
    "label": (USER, "Label:\tprove-label\nView:\n\t//depot/prove/a/...\n"),
    "depot": (SUPER, "Depot:\tprove-forms\nType:\tlocal\nMap:\tprove-forms/...\n"),
}
_OPTIONAL = (b"SubmitOptions:", b"LineEnd:")


def run(lab: Lab) -> None:
    """Save forms in several ways; triggers record the form files that they get."""
    lab.install(
        lab.line("prove-client", "form-save", "client", *_WORDS),
        lab.line("prove-stream", "form-save", "stream", *_WORDS),
        *(lab.line(f"prove-{t}", "form-save", t, *_WORDS) for t in _OTHER_FORMS),
    )
    with lab.part():
        _save_clients(lab)
    with lab.part():
        _save_streams(lab)
    for form_type, (user, form) in _OTHER_FORMS.items():
        with lab.part():
            lab.step(form_type, lab.connect(user), form_type, "-i", command_input=form)


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive facts about p4d's form triggers."""
    first = steps.get("new")
    return {
        "forms.text": _text(first),
        "forms.mode": _mode(first),
        "forms.name": _name(first),
        "forms.fields": _fields(steps.get("stored")),
        "forms.existing": _fires(steps.get("existing"), b"prove/b/..."),
        "forms.unchanged": _fires(steps.get("unchanged"), b"View:"),
        "forms.refused": _refusal_effect(steps.get("refused"), steps.get("after-refusal")),
        "forms.stream": _fires(steps.get("stream"), b"import"),
        "forms.stream-client": _fires(steps.get("stream-client"), b"Stream:"),
        "forms.client-s": _fires(steps.get("client-s"), b"Stream:"),
        "forms.switch": _fires(steps.get("switch"), b"Stream:"),
        "forms.branch": _fires(steps.get("branch"), b"//depot/prove/z/..."),
        "forms.label": _fires(steps.get("label"), b"//depot/prove/a/..."),
        "forms.depot": _fires(steps.get("depot"), b"prove-forms"),
    }


def _save_clients(lab: Lab) -> None:
    """New, changed, unchanged, and then refused by a trigger."""
    p4 = lab.connect(client=_CLIENT)
    new_form, changed_form, refused_form = (
        lab.client_form(_CLIENT, f"//depot/prove/{name}/... //{_CLIENT}/prove/{name}/...")
        for name in ("a", "b", "c")
    )
    lab.step("new", p4, "client", "-i", command_input=f"# {COMMENT}\n{new_form}")
    lab.step("stored", p4, "client", "-o", _CLIENT)
    lab.step("existing", p4, "client", "-i", command_input=changed_form)
    lab.step("unchanged", p4, "client", "-i", command_input=changed_form)
    lab.answer("prove-client", b"prove says no\n", code=1)
    lab.step("refused", p4, "client", "-i", command_input=refused_form)
    lab.step("after-refusal", p4, "client", "-o", _CLIENT)
    lab.answer("prove-client")


def _save_streams(lab: Lab) -> None:
    main, dev = f"//{STREAMS}/main", f"//{STREAMS}/dev"
    changed_form = lab.stream(dev, Paths=["share ...", "import prove/... //depot/prove/..."])
    lab.step("stream", lab.admin, "stream", "-i", command_input=changed_form)
    p4 = lab.connect(client=_STREAM_CLIENT)
    form = lab.client_form(_STREAM_CLIENT, stream=main)
    lab.step("stream-client", p4, "client", "-i", command_input=form)
    lab.step("client-s", p4, "client", "-s", "-S", dev, _STREAM_CLIENT)
    lab.step("switch", p4, "switch", main)


def _first_call(step: Step) -> Call | None:
    return step.calls[0] if step.calls else None


def _text(step: Step | None) -> str | None:
    """Return whether the trigger got the text that was `sent`, or one `regenerated` by p4d.

    `empty` if the form had no view; `silent` if no trigger ran at a successful save.
    """
    if step is None or (step.has_failed and not step.calls):
        return None
    call = _first_call(step)
    if call is None:
        return "silent"
    if not call.form or b"View:" not in call.form:
        return "empty"
    return "sent" if COMMENT.encode() in call.form else "regenerated"


def _mode(step: Step | None) -> str | None:
    call = _first_call(step) if step else None
    return (call.mode or "unreadable") if call else None


def _name(step: Step | None) -> str | None:
    call = _first_call(step) if step else None
    if call is None:
        return None
    return "same" if call.value("name") == _CLIENT.encode() else "other"


def _fields(step: Step | None) -> str | None:
    """Return whether p4d added SubmitOptions and LineEnd, which a saved client form left out."""
    if step is None or step.has_failed or USER.encode() not in b"\n".join(step.rows):
        return None
    stored_form = b"\n".join(step.rows)
    return {2: "filled", 0: "absent"}.get(sum(field in stored_form for field in _OPTIONAL), "some")


def _fires(step: Step | None, content: bytes) -> str | None:
    """`without-form` if the trigger got another form or none; `silent` if none ran at a save."""
    if step is None or (step.has_failed and not step.calls):
        return None
    call = _first_call(step)
    if call is None:
        return "silent"
    return "fires" if content in (call.form or b"") else "without-form"


def _refusal_effect(refused_step: Step | None, later_step: Step | None) -> str | None:
    if (
        refused_step is None
        or later_step is None
        or later_step.has_failed
        or not refused_step.calls
    ):
        return None
    if not refused_step.has_failed:
        return "passed"
    return "stored" if b"//depot/prove/c/" in b"\n".join(later_step.rows) else "not-stored"
