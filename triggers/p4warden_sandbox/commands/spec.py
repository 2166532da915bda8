from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.client import client_form
from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.commands.stream import stream_form
from p4warden_sandbox.display_only_specdefs import DISPLAY_ONLY_FORMS
from p4warden_sandbox.form_fields import FieldRequirement, FieldType
from p4warden_sandbox.job_fields import job_form, jobspec
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX, SPEC_NOT_DEFINED, SPEC_SAVED, SPEC_UNCHANGED
from p4warden_sandbox.specdefs import CLIENT, FORMS, JOBSPEC, SPEC, STREAM
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.form_fields import Field, FormDefinition

_JOB = "job"
# The last word of a field's line in a jobspec's Fields (P4 Command Reference, "p4 jobspec").
_SETTINGS = {
    FieldRequirement.OPTIONAL: "optional",
    FieldRequirement.REQUIRED: "required",
    FieldRequirement.SERVER_ONLY: "always",
    FieldRequirement.KEY: "key",
    FieldRequirement.SHOWN_EMPTY: "default",
    FieldRequirement.MAY_BE_EMPTY: "default",
}


class JobspecCommand(FormCommand):
    form = JOBSPEC
    usage = Usage("jobspec [ -i | -o ]", "io")
    saved_message = SPEC_SAVED
    unchanged_message = SPEC_UNCHANGED
    only_super_writes = True

    def shown_spec(self, request: FormRequest) -> Spec:
        return jobspec(request.call.store)

    def propose(self, request: FormRequest) -> Spec:
        return jobspec(request.call.store)

    def check(self, request: FormRequest, new: Spec) -> Spec:
        del request  # `request` is unused: only the jobspec is checked
        job_form(new)
        return new

    def names(self, name: str) -> dict[str, str]:
        del name  # `name` is unused: a server has only one jobspec
        return {"type": _JOB}


class DisplayOnlyForm(FormCommand):
    """The sandbox lacks the features of these forms."""

    def __init__(self, form: FormDefinition) -> None:
        self.form = form
        self.usage = Usage(f"{form.name} -o [ name ]", "o", refused_options="di", max_arguments=1)

    def propose(self, request: FormRequest) -> Spec:
        if self.form.fields[0].is_list:
            return Spec(self.form)
        return Spec(self.form).having(**{self.form.key: request.name})

    def check(self, request: FormRequest, new: Spec) -> Spec:
        del request, new
        raise CommandError(NOT_IN_SANDBOX, what=f"{self.form.name} without -o")


class SpecCommand(DisplayOnlyForm):
    """Only the fields of jobs can be changed."""

    def propose(self, request: FormRequest) -> Spec:
        if request.name == _JOB:
            return jobspec(request.call.store).of(SPEC)
        of_release = {
            CLIENT.name: client_form(request.call),
            STREAM.name: stream_form(request.call),
        }
        form = {**FORMS, **DISPLAY_ONLY_FORMS, **of_release}.get(request.name)
        if form is None:
            raise CommandError(SPEC_NOT_DEFINED, type=request.name)
        return _fields_of(form)


def _fields_of(form: FormDefinition) -> Spec:
    fields = form.fields
    return Spec(SPEC).having(
        Fields=[_line(field) for field in fields],
        Words=[f"{field.name} {field.words}" for field in fields if field.words > 1],
        Formats=[f"{f.name} {f.sequence} {f.layout}" for f in fields if f.layout],
        Values=[f"{field.name} {field.values}" for field in fields if field.values],
        Maxwords=[f"{field.name} {field.max_words}" for field in fields if field.max_words],
    )


def _line(field: Field) -> str:
    length = 0 if field.kind is FieldType.TEXT else field.length
    return f"{field.code} {field.name} {field.kind.value} {length} {_SETTINGS[field.need]}"
