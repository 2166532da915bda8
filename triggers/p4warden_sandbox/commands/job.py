from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import dates
from p4warden_sandbox.commands.change import NO_DESCRIPTION
from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.job_fields import job_form, jobspec, presets
from p4warden_sandbox.messages import JOB_DELETED, JOB_SAVED, JOB_UNCHANGED, NO_SUCH_JOB
from p4warden_sandbox.names import check_name
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.form_fields import FormDefinition

_NEW, _COUNTER = "new", "job"


def job(call: Call) -> None:
    """Handle `p4 job`: show, save or delete a job with the fields of the stored jobspec."""
    JobCommand(job_form(jobspec(call.store)))(call)


class JobCommand(FormCommand):
    usage = Usage("job [ -d -f -i -o ] [ jobName ]", "dfio", max_arguments=1)
    saved_message = JOB_SAVED
    unchanged_message = JOB_UNCHANGED
    deleted_message = JOB_DELETED
    missing_message = NO_SUCH_JOB
    name_argument = "job"

    def __init__(self, form: FormDefinition) -> None:
        self.form = form

    def propose(self, request: FormRequest) -> Spec:
        check_name(request.name)
        call = request.call
        special = {"$user": call.user, "$now": dates.now(), "$blank": NO_DESCRIPTION}
        preset_values = presets(jobspec(call.store)).items()
        values = {name: special.get(value, value) for name, value in preset_values}
        return Spec(self.form).having(**{**values, self.form.key: request.name})

    def check(self, request: FormRequest, new: Spec) -> Spec:
        del request  # `request` is unused: only the job's name is checked
        check_name(new.name)
        return new

    def complete(self, request: FormRequest, new: Spec) -> Spec:
        """A job without a name gets one such as job000001."""
        dated = super().complete(request, new)
        if new.name != _NEW:
            return dated
        number = int(request.call.store.next_number(_COUNTER))
        return dated.having(**{self.form.key: f"job{number:06}"})
