# The order of events is that of `p4 help triggers`. Inferred: form-commit does not run when
# nothing changed; when a form-commit trigger fails, its output is shown and there is no other
# effect.

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from p4warden_sandbox import dates, spec_depot
from p4warden_sandbox.message_stack import CommandError, MessageId, StackEntry, in_context
from p4warden_sandbox.messages import (
    BAD_OPTION,
    DOMAIN_DELETED,
    DOMAIN_SAVED,
    DOMAIN_UNCHANGED,
    ERROR_IN_SPEC,
    FORM_GIVEN_UP,
    FORM_OUT_GARBLED,
    LOCKED_UPDATE,
    NO_SUCH_DOMAIN,
    USAGE,
    WRONG_ARGUMENTS,
)
from p4warden_sandbox.printing_triggers import FORM_OUT, do_print
from p4warden_sandbox.specs import format_form, header, parse, tagged
from p4warden_sandbox.trigger_run import FormEvent, FormTriggersResult, unread_messages
from p4warden_sandbox.wire import Message
from p4warden_sandbox.words import split_words

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.form_fields import FormDefinition
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.usage import Options, Usage

_DATES = ("Update", "Access", "Date")
# Some servers fill these in and others leave them empty (variant `form-fields`).
_FILLED_IN = ("Owner", "Options", "SubmitOptions", "LineEnd")


class FormRequest(NamedTuple):
    """`old_spec` is the stored spec with that name; None for a new object.

    `text` is that of a form to be saved.
    """

    call: Call
    options: Options
    name: str
    old_spec: Spec | None
    text: str = ""

    @property
    def owner(self) -> str:
        """Of a spec whose form names no owner."""
        return self.old_spec.get("Owner") if self.old_spec else self.call.user


class FormCommand(ABC):
    """`name_argument` is the name of the message argument that holds the object's name."""

    form: FormDefinition
    usage: Usage
    saved_message: ClassVar[MessageId] = DOMAIN_SAVED
    unchanged_message: ClassVar[MessageId] = DOMAIN_UNCHANGED
    deleted_message: ClassVar[MessageId] = DOMAIN_DELETED
    missing_message: ClassVar[MessageId] = NO_SUCH_DOMAIN
    name_argument: ClassVar[str] = "domainName"
    only_super_writes: ClassVar[bool] = False

    @abstractmethod
    def propose(self, request: FormRequest) -> Spec:
        """Return the form to fill in for an object that does not exist yet."""

    @abstractmethod
    def check(self, request: FormRequest, new: Spec) -> Spec:
        """Return the spec to be stored, with missing values filled in, or raise CommandError."""

    def shown_spec(self, request: FormRequest) -> Spec:
        return request.old_spec or self.propose(request)

    def complete(self, request: FormRequest, new: Spec) -> Spec:
        del request  # `request` is unused here, but overriding methods need it
        field_names = {field.name for field in self.form.fields}
        return new.having(**dict.fromkeys(field_names.intersection(_DATES), dates.now()))

    def accepted(self, request: FormRequest, new: Spec) -> None:
        """An override may act on a form that is not refused, even an unchanged one."""
        del request, new  # unused here, but overriding methods need them

    def is_same(self, request: FormRequest, new: Spec) -> bool:
        return request.old_spec is not None and new == request.old_spec.without(*_DATES)

    def store(self, request: FormRequest, new: Spec) -> StackEntry:
        request.call.store.save(new)
        return self.entry(self.saved_message, new.name)

    def names(self, name: str) -> dict[str, str]:
        kind = self.form.name.capitalize()
        return {"domainType": kind, "type": kind, "name": name, self.name_argument: name}

    def entry(self, kind: MessageId, name: str) -> StackEntry:
        return StackEntry(kind, self.names(name))

    def require_write(self, request: FormRequest) -> None:
        """Raise CommandError unless the user may save or delete the spec."""
        call, old = request.call, request.old_spec
        if self.only_super_writes or "f" in request.options:
            call.require_super()
        if (
            old is None
            or "f" in request.options
            or "locked" not in split_words(old.get("Options"))
        ):
            return
        owner = old.get("Owner")
        if call.store.fold(owner) != call.store.fold(call.user):
            raise CommandError(LOCKED_UPDATE, type=self.form.name, name=request.name, user=owner)

    def __call__(self, call: Call) -> None:
        options = self.usage.read(call.request.arguments)
        if "i" in options:
            self.save_text(call, options, self.ask(call))
        elif "d" in options:
            self._delete(call, options)
        elif "o" in options:
            self._show(call, options)
        else:
            self.save_text(call, options, self.edited(call, options))

    def _show(self, call: Call, options: Options) -> None:
        spec, text, trigger_result = self._generated(call, options)
        if not call.reply.tagged:
            call.reply.text("\n".join([*trigger_result.outputs, trigger_result.text]))
            return
        call.reply.trigger_outputs(trigger_result.outputs)
        if trigger_result.text != text:
            spec = self._parsed_again(trigger_result.text)
        row = [*tagged(spec)]
        if call.reply.with_definitions:
            row = [("specdef", self.form.definition()), *row, ("specFormatted", "")]
        call.reply.row(row)

    def edited(self, call: Call, options: Options) -> str:
        """Return the form text edited in the user's editor.

        A real server lets the user edit a refused form again; here the command ends with the
        error.
        """
        _, _, trigger_result = self._generated(call, options)
        call.reply.trigger_outputs(trigger_result.outputs)
        question = {"data": trigger_result.text, "confirm": "dm-SpecIn"}
        answers = call.reply.exchange([Message.of("client-EditData", question)])
        if not answers:
            raise CommandError(FORM_GIVEN_UP)
        return answers[0].text("data")

    def _generated(self, call: Call, options: Options) -> tuple[Spec, str, FormTriggersResult]:
        spec = self.shown_spec(self._request(call, options))
        text = format_form(spec, header(self.form))
        event = self._event("form-out", spec.name, text)
        result = call.triggers.form(event, call.variables)
        if do_print(call.server.settings, call.request):
            result = result._replace(outputs=[FORM_OUT, *result.outputs])
        return spec, text, result

    def _parsed_again(self, text: str) -> Spec:
        try:
            return parse(self.form, text)
        except CommandError as error:
            raise error.under(FORM_OUT_GARBLED) from None

    def ask(self, call: Call) -> str:
        """Ask the client for the form text to save, as with `p4 client -i`."""
        question = {"specdef": self.form.definition(), "confirm": "dm-SpecIn"}
        return call.reply.ask("client-InputData", question).text("data")

    def save_text(
        self, call: Call, options: Options, form_text: str, *, quiet: bool = False
    ) -> Spec:
        """With `quiet`, saving is only one step of a command and is not reported."""
        with call.store.turn(self.form.name):
            return self._save_text(call, options, form_text, quiet=quiet)

    def _save_text(self, call: Call, options: Options, form_text: str, *, quiet: bool) -> Spec:
        text = self._fire(call, "form-in", self._name_in(form_text), form_text)
        spec = parse(self.form, text)
        old_spec = call.store.find(self.form.name, spec.name)
        request = FormRequest(call, options, spec.name, old_spec, text)
        self.require_write(request)
        new = self._checked(request, spec.without(*_DATES))
        is_same = self.is_same(request, new)
        if not is_same or call.behaves("unchanged-form", "fires"):
            self._fire(call, "form-save", new.name, self.saved_text(call, new, text))
        self.accepted(request, new)
        if is_same:
            call.reply.say_all([self.entry(self.unchanged_message, new.name)])
            return new
        new = self.complete(request, new)
        message = self.store(request, new)
        stored_spec = call.store.find(self.form.name, new.name)
        if stored_spec is not None:
            spec_depot.keep(call.server, stored_spec)
        if not quiet:
            call.reply.say_all([message])
        self._committed(call, new, text)
        return new

    def saved_text(self, call: Call, new: Spec, form_text: str) -> str:
        return form_text if call.behaves("form-save-text", "sent") else format_form(new)

    def _checked(self, request: FormRequest, spec: Spec) -> Spec:
        """With the variant `form-fields=filled`, missing optional fields are filled in."""
        try:
            new = self.check(request, spec)
        except CommandError as error:
            raise error.under(ERROR_IN_SPEC, domain=self.form.name) from None
        if request.call.behaves("form-fields", "filled"):
            return new
        return new.having(**{name: spec.get(name) for name in _FILLED_IN})

    def _committed(self, call: Call, new: Spec, text: str) -> None:
        """These triggers cannot refuse the save."""
        event = self._event("form-commit", new.name, text)
        try:
            call.reply.trigger_outputs(call.triggers.form(event, call.variables).outputs)
        except CommandError as error:
            call.reply.trigger_outputs(unread_messages(error))

    def _delete(self, call: Call, options: Options) -> None:
        request = self._request(call, options)
        if request.old_spec is None:
            raise CommandError(self.missing_message, **self.names(request.name))
        self.require_write(request)
        event = self._event("form-delete", request.old_spec.name, format_form(request.old_spec))
        call.reply.trigger_outputs(call.triggers.form(event, call.variables).outputs)
        call.store.delete(self.form.name, request.name)
        call.reply.say_all([self.entry(self.deleted_message, request.name)])

    def _event(self, kind: str, name: str, text: str) -> FormEvent:
        return FormEvent(kind, self.form.name, name, text, self.form.definition())

    def _fire(self, call: Call, kind: str, name: str, text: str) -> str:
        event = self._event(kind, name, text)
        try:
            trigger_result = call.triggers.form(event, call.variables)
        except CommandError as error:
            order = call.server.settings.variant("refusal-order")
            raise in_context(error, order, ERROR_IN_SPEC, domain=self.form.name) from None
        call.reply.trigger_outputs(trigger_result.outputs)
        return trigger_result.text

    def _request(self, call: Call, options: Options) -> FormRequest:
        """Some commands have a default name, such as the client in use for `p4 client`."""
        own = {
            "change": "new",
            "client": call.client,
            "job": "new",
            "jobspec": "job",
            "user": call.user,
            "protect": "protect",
            "triggers": "triggers",
            "typemap": "typemap",
        }
        name = options.arguments[0] if options.arguments else own.get(self.form.name)
        if not name:
            raise CommandError(WRONG_ARGUMENTS).under(USAGE, text=self.usage.text)
        return FormRequest(call, options, name, call.store.find(self.form.name, name))

    def _name_in(self, text: str) -> str:
        """How a real server finds the name is not known; empty if there is none."""
        match = re.search(
            rf'^{self.form.key}:[ \t]*"?([^\s"#]+)', text, re.MULTILINE | re.IGNORECASE | re.ASCII
        )
        return match[1] if match else ""


def full_options(spec: Spec) -> str:
    """Return a spec's options in order, with defaults; raise CommandError for an unknown one."""
    definition = spec.form.field("Options")
    choices = [choice.split("/") for choice in definition.values.split(",")] if definition else []
    words = split_words(spec.get("Options"))
    unknown = set(words) - {word for choice in choices for word in choice}
    if unknown:
        raise CommandError(BAD_OPTION, option=min(unknown), field=spec.form.name)
    return " ".join(
        next((word for word in choice if word in words), choice[0]) for choice in choices
    )
