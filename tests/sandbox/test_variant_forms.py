"""Tests of the sandbox's variants for form triggers: refusals, form files, and unchanged forms.

A variant is a behavior of p4d that differs by release or is not documented. Also tested are
clients that are switched to another stream, or to the view of another client.
"""

import threading

import pytest
from P4 import P4Exception

from support.variant_world import VariantServers, errors

SPEC = "Error in client specification."
REFUSAL = "'n' validation failed: no"


@pytest.mark.parametrize(
    ("way", "lines"),
    [
        ("context-first", [SPEC, REFUSAL]),
        ("context-last", [REFUSAL, SPEC]),
        ("alone", [REFUSAL]),
    ],
)
def test_variant_refusal_order_determines_the_lines_of_a_refusal(
    world: VariantServers, way: str, lines: list[str]
) -> None:
    world.start(refusal_order=way)
    world.table('n form-save client "fail no"')
    p4 = world.client()
    with pytest.raises(P4Exception) as error:
        p4.save_client(p4.fetch_client())
    assert "\n".join(error.value.errors).split("\n") == lines


@pytest.mark.parametrize("way", ["success", "failure"])
def test_variant_killed_determines_whether_a_killed_trigger_refuses_the_command(
    world: VariantServers, way: str
) -> None:
    world.start(killed=way)
    world.table(f"n command pre-user-depots$ {world.script('kill -9 $$')}")
    p4 = world.client()
    if way == "success":
        assert p4.run("depots")
    else:
        assert errors(p4, "depots") == "'n' validation failed: no error message"


@pytest.mark.parametrize("mode", ["600", "400", "644", "666"])
def test_variant_form_file_mode_determines_the_mode_of_the_form_file(
    world: VariantServers, mode: str
) -> None:
    world.start(form_file_mode=f"0{mode}")
    file = world.folder / "mode"
    world.table(f'n form-save client "{world.script(f"stat -c %a $1 >{file}")} %formfile%"')
    p4 = world.client()
    p4.save_client(p4.fetch_client())
    assert file.read_text("utf-8") == f"{mode}\n"


@pytest.mark.parametrize(
    ("way", "seen", "stored"),
    [
        ("absent", False, []),
        ("filled-before", True, ["depot", "streams", "thirdparty"]),
        ("filled-after", False, ["depot", "streams", "thirdparty"]),
    ],
)
@pytest.mark.parametrize("text", ["sent", "regenerated"])
def test_variant_missing_view_fills_a_view_before_or_after_the_triggers_or_never(
    world: VariantServers, way: str, text: str, stored: list[str], *, seen: bool
) -> None:
    world.start(missing_view=way, form_save_text=text)
    file = world.folder / "form"
    world.table(f'n form-save client "{world.script(f"cat $1 >{file}")} %formfile%"')
    p4 = world.client()
    for root in ("/r", "/s"):
        p4.save_client(f"Client: ws\nRoot: {root}\n")
        assert ("View:" in file.read_text("utf-8")) == seen
        view = [f"//{depot}/... //ws/{depot}/..." for depot in stored]
        assert p4.fetch_client("ws").get("View", []) == view


@pytest.mark.parametrize(("way", "owner"), [("filled", "ann"), ("absent", None)])
def test_variant_form_fields_fills_or_omits_optional_fields(
    world: VariantServers, way: str, owner: str | None
) -> None:
    world.start(form_fields=way)
    p4 = world.client()
    p4.save_client("Client: ws\nRoot: /r\nOptions: clobber\nView: //depot/... //ws/...\n")
    form = p4.fetch_client("ws")
    assert form.get("Owner") == owner
    assert ("noallwrite" in form["Options"]) is (way == "filled")


@pytest.mark.parametrize("way", ["sent", "regenerated"])
def test_variant_form_save_text_determines_the_text_of_the_form_file(
    world: VariantServers, way: str
) -> None:
    world.start(form_save_text=way)
    file = world.folder / "form"
    world.table(f'n form-save client "{world.script(f"cat $1 >{file}")} %formfile%"')
    world.client().save_client("client: ws\nRoot: /r\nStream: //streams/main\n")
    text = file.read_text("utf-8")
    assert ("View:\n\t//streams/main/... //ws/...\n" in text) is (way == "regenerated")
    assert text.startswith("client: ws\n" if way == "sent" else "Client:\tws\n")


@pytest.mark.parametrize("way", ["fires", "silent"])
def test_variant_unchanged_form_determines_whether_form_save_triggers_run(
    world: VariantServers, way: str
) -> None:
    world.start(unchanged_form=way)
    p4 = world.client()
    p4.save_client(p4.fetch_client())
    world.table('n form-save client "fail again"')
    if way == "silent":
        assert p4.save_client(p4.fetch_client()) == ["Client ws not changed."]
    else:
        with pytest.raises(P4Exception, match="again"):
            p4.save_client(p4.fetch_client())


@pytest.mark.parametrize("way", ["fires", "silent"])
@pytest.mark.parametrize(
    "command", [("client", "-s", "-S", "//streams/dev"), ("switch", "//streams/dev")]
)
def test_variant_stream_switch_determines_whether_form_save_triggers_run(
    world: VariantServers, way: str, command: tuple[str, ...]
) -> None:
    world.start(stream_switch=way)
    p4 = world.client()
    p4.save_client(p4.fetch_client("-S", "//streams/main"))
    world.table('n form-save client "fail caught"')
    if way == "fires":
        assert "caught" in errors(p4, *command)
    else:
        assert p4.run(*command) == ["Client ws switched."]
        assert p4.fetch_client()["View"] == ["//streams/dev/... //ws/..."]


def test_client_with_options_s_and_t_copies_the_view_of_another_client(
    world: VariantServers,
) -> None:
    world.start()
    p4 = world.client()
    view = "//depot/docs/... //model/..."
    p4.save_client({**p4.fetch_client("model"), "View": [view]})
    p4.save_client(p4.fetch_client("ws"))
    assert p4.run("client", "-s", "-t", "model") == ["Client ws switched."]
    assert p4.fetch_client()["View"] == ["//depot/docs/... //ws/..."]
    assert "doesn't exist" in errors(p4, "client", "-s", "-t", "model", "nosuch")
    assert "Missing/wrong number" in errors(p4, "client", "-s")


@pytest.mark.parametrize(("way", "attempts"), [("parallel", 100), ("serial", 3)])
def test_variant_saves_runs_triggers_of_two_saves_in_parallel_or_serially(
    world: VariantServers, way: str, attempts: int
) -> None:
    """Save two clients at the same time; each trigger waits for the other or notes a timeout.

    With the variant `saves=parallel` both triggers run at the same time, with `serial` they do
    not.
    """
    world.start(saves=way)
    file = world.folder / "begun"
    wait = (
        f'echo begun >>{file}; for i in $(seq {attempts}); do [ "$(grep -c begun {file})" = 2 ] '
    )
    program = world.script(f"{wait} && exit 0; sleep 0.1; done; echo gave-up >>{file}")
    world.table(f"n form-save client {program}")
    forms = [(p4, p4.fetch_client()) for p4 in (world.client(client=c) for c in ("w1", "w2"))]
    savers = [threading.Thread(target=p4.save_client, args=(form,)) for p4, form in forms]
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join()
    assert ("gave-up" in file.read_text("utf-8")) is (way == "serial")
