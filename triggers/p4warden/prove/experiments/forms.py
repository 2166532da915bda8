from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER, USER
from p4warden.prove.experiments.fact_values import of_call, of_steps
from p4warden.prove.experiments.login import STREAMS

if TYPE_CHECKING:
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
    lab.save("stream-client", p4, _STREAM_CLIENT, stream=main)
    lab.step("client-s", p4, "client", "-s", "-S", dev, _STREAM_CLIENT)
    lab.step("switch", p4, "switch", main)


def _text(call: Call) -> str:
    """Return whether the trigger got the text that was `sent`, or one `regenerated` by p4d.

    `empty` if the form had no view.
    """
    if not call.form or b"View:" not in call.form:
        return "empty"
    return "sent" if COMMENT.encode() in call.form else "regenerated"


def _mode(call: Call) -> str:
    return call.mode or "unreadable"


def _name(call: Call) -> str:
    return "same" if call.value("name") == _CLIENT.encode() else "other"


def _fields(step: Step) -> str | None:
    """Return whether p4d added SubmitOptions and LineEnd, which a saved client form left out."""
    if step.has_failed or USER.encode() not in step.output:
        return None
    return {2: "filled", 0: "absent"}.get(sum(field in step.output for field in _OPTIONAL), "some")


def _fires(content: bytes, call: Call) -> str:
    """`without-form` if the trigger got another form or none."""
    return "fires" if content in (call.form or b"") else "without-form"


def _refusal_effect(refused_step: Step, later_step: Step) -> str | None:
    if later_step.has_failed or not refused_step.calls:
        return None
    if not refused_step.has_failed:
        return "passed"
    return "stored" if b"//depot/prove/c/" in later_step.output else "not-stored"


VALUES = {
    "text": of_call(_text, "new"),
    "mode": of_call(_mode, "new", None),
    "name": of_call(_name, "new", None),
    "fields": of_steps(_fields, "stored"),
    "existing": of_call(partial(_fires, b"prove/b/..."), "existing"),
    "unchanged": of_call(partial(_fires, b"View:"), "unchanged"),
    "refused": of_steps(_refusal_effect, "refused", "after-refusal"),
    "stream": of_call(partial(_fires, b"import"), "stream"),
    "stream-client": of_call(partial(_fires, b"Stream:"), "stream-client"),
    "client-s": of_call(partial(_fires, b"Stream:"), "client-s"),
    "switch": of_call(partial(_fires, b"Stream:"), "switch"),
    "branch": of_call(partial(_fires, b"//depot/prove/z/..."), "branch"),
    "label": of_call(partial(_fires, b"//depot/prove/a/..."), "label"),
    "depot": of_call(partial(_fires, b"prove-forms"), "depot"),
}
