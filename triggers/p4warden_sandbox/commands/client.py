from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, FormRequest, full_options
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    CLIENT_NO_SWITCH,
    DOMAIN_SWITCHED,
    NO_SUCH_DOMAIN,
    TOO_MANY_CLIENTS,
    USAGE,
    WRONG_ARGUMENTS,
)
from p4warden_sandbox.names import check_name
from p4warden_sandbox.settings import ServerVersion
from p4warden_sandbox.specdefs import CLIENT, OLDER_CLIENT
from p4warden_sandbox.specs import Spec, format_form, parse
from p4warden_sandbox.stream_views import client_view
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import check_limit, check_view
from p4warden_sandbox.words import join_words, split_words

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.form_fields import FormDefinition
    from p4warden_sandbox.usage import Options

_LIMIT_VIEW = ServerVersion(2025, 2)
_UNLICENSED_CLIENTS = 20
_MAPPED_DEPOTS = frozenset({"local", "remote", "stream"})


def client(call: Call) -> None:
    """Handle `p4 client` and `p4 workspace`: show, save or delete a client."""
    ClientCommand(client_form(call))(call)


def client_form(call: Call) -> FormDefinition:
    """Return the form of the server's release; from 2025.2 on it has a LimitView field."""
    has_limit_view = call.server.settings.server_version >= _LIMIT_VIEW
    return CLIENT if has_limit_view else OLDER_CLIENT


class ClientCommand(FormCommand):
    usage = Usage(
        "client [ -d -f -i -o -s ] [ -t template | -S stream ] [ name ]",
        "dfiost:S:",
        refused_options="F:T:c:x",
        max_arguments=1,
    )

    def __init__(self, form: FormDefinition) -> None:
        self.form = form

    def __call__(self, call: Call) -> None:
        """With -s, an existing client gets another stream or a template's view."""
        options = self.usage.read(call.request.arguments)
        if "s" not in options:
            super().__call__(call)
        elif "S" in options or "t" in options:
            self.switch(call, options)
        else:
            raise CommandError(WRONG_ARGUMENTS).under(USAGE, text=self.usage.text)

    def switch(self, call: Call, options: Options) -> None:
        """The variant `stream-switch` determines whether the form triggers run."""
        arguments = options.values
        name = options.arguments[0] if options.arguments else call.client
        old = call.store.find("client", name)
        if old is None:
            raise CommandError(NO_SUCH_DOMAIN, type="Client", name=name)
        if "S" in arguments:
            new = old.having(
                Stream=arguments["S"], View=_stream_view(call, arguments["S"], old.name)
            )
        else:
            new = _like_template(call, old.without("Stream"), arguments["t"])
        if call.behaves("stream-switch", "fires"):
            self.save_text(call, options, format_form(new), quiet=True)
        else:
            self.require_write(FormRequest(call, options, name, old))
            call.store.save(new)
        call.reply.say(DOMAIN_SWITCHED, domainType="Client", domainName=name)

    def propose(self, request: FormRequest) -> Spec:
        """-S or -t select the view of a stream or of a template client (`p4 help client`)."""
        call, name, arguments = request.call, request.name, request.options.values
        check_name(name)
        spec = Spec(CLIENT).having(
            Client=name,
            Owner=call.user,
            Host=call.request.text("host"),
            Description=f"Created by {call.user}.\n",
            Root=call.request.text("cwd"),
            SubmitOptions="submitunchanged",
            LineEnd="local",
            View=_whole_view(call, name),
        )
        spec = spec.having(Options=full_options(spec))
        if "S" in arguments:
            return spec.having(
                Stream=arguments["S"], View=_stream_view(call, arguments["S"], name)
            )
        return _like_template(call, spec, arguments["t"]) if "t" in arguments else spec

    def shown_spec(self, request: FormRequest) -> Spec:
        if request.old_spec and "S" in request.options:
            raise CommandError(CLIENT_NO_SWITCH, client=request.name)
        return super().shown_spec(request)

    def check(self, request: FormRequest, new: Spec) -> Spec:
        """A stream client's view is replaced by the stream's view (`p4 help client`)."""
        check_name(new.name)
        _check_quota(request)
        new = new.having(Options=full_options(new)).or_else(
            Owner=request.owner, SubmitOptions="submitunchanged", LineEnd="local"
        )
        check_limit(new, request.call.store)
        if new.get("Stream"):
            return new.having(View=_stream_view(request.call, new.get("Stream"), new.name))
        if request.call.behaves("missing-view", "filled-before"):
            new = _with_view(request, new)
        check_view(new, request.call.store, f"//{new.name}/")
        return new

    def complete(self, request: FormRequest, new: Spec) -> Spec:
        if request.call.behaves("missing-view", "filled-after"):
            new = _with_view(request, new)
        return super().complete(request, new)

    def saved_text(self, call: Call, new: Spec, form_text: str) -> str:
        """Return a form that also has a view that was filled in."""
        text = super().saved_text(call, new, form_text)
        if new.get("Stream") or not new.get("View") or parse(CLIENT, text).get("View"):
            return text
        return format_form(new)


def _check_quota(request: FormRequest) -> None:
    store = request.call.store
    is_limited = request.call.server.settings.behaves("license", "none")
    if is_limited and request.old_spec is None and len(store.all("client")) >= _UNLICENSED_CLIENTS:
        raise CommandError(TOO_MANY_CLIENTS)


def _whole_view(call: Call, name: str) -> list[str]:
    depots = [d.name for d in call.store.all("depot") if d.get("Type") in _MAPPED_DEPOTS]
    if len(depots) == 1:
        return [f"//{depots[0]}/... //{name}/..."]
    return [f"//{depot}/... //{name}/{depot}/..." for depot in depots]


def _with_view(request: FormRequest, spec: Spec) -> Spec:
    """An empty View of an existing client stays empty (git, t9809-git-p4-client-view.sh)."""
    stays_empty = request.old_spec is not None and re.search("(?im)^view:", request.text)
    if spec.get("View") or spec.get("Stream") or stays_empty:
        return spec
    return spec.having(View=_whole_view(request.call, spec.name))


def _stream_view(call: Call, stream: str, name: str) -> list[str]:
    if call.store.find("stream", stream) is None:
        raise CommandError(NO_SUCH_DOMAIN, type="Stream", name=stream)
    return client_view(call.store, stream, name)


def _like_template(call: Call, spec: Spec, template: str) -> Spec:
    model = call.store.find("client", template)
    if model is None:
        raise CommandError(NO_SUCH_DOMAIN, type="Client", name=template)
    old, new = f"//{model.name}/", f"//{spec.name}/"
    lines = [split_words(line) for line in model.lines("View")]
    view = [join_words([depot, path.replace(old, new, 1)]) for depot, path in lines]
    return spec.having(Options=model.get("Options"), View=view)
