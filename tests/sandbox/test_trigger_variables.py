"""Tests of the variables in a trigger line's command, such as %user%."""

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Pressure, Sandbox, ServerVersion, Settings
from support.servers import ClientFactory, Server, takes_names
from support.triggers import Install

ROW = 't command pre-user-depots "fail {names}"'


def values_of(p4: P4) -> str:
    with pytest.raises(P4Exception) as error:
        p4.run("depots")
    return error.value.errors[0].removeprefix("'t' validation failed: ")


@pytest.mark.parametrize(
    ("names", "values"),
    [
        ("%user%@%client%", "build@farm-ws"),
        ("%clientip% %peerip%", "127.0.0.1 127.0.0.1"),
        ("%clienthost%", "farm-7"),
        ("%clientcwd%", "/build/agent"),
        ("%clientversion%", "7.1"),
        ("%command%", "user-depots"),
        ("%groups%", "build-farm"),
        ("%serverport%", "{port}"),
        ("%quote%%args%%quote%", '"'),
        ("%triggerMeta_name% %triggerMeta_trigger%", "t command"),
    ],
)
def test_trigger_variables_have_the_values_of_the_connection(
    server: Server, connect: ClientFactory, install: Install, names: str, values: str
) -> None:
    install(server, ROW.format(names=names))
    p4 = connect(server, "build", "farm-ws", host="farm-7", cwd="/build/agent", version="7.1")

    assert values_of(p4) == values.format(port=server.port)


def test_unknown_trigger_variables_stay_unexpanded_or_are_removed(
    server: Server, connect: ClientFactory, install: Install
) -> None:
    """Test that an unknown variable in a trigger line stays as typed or is removed.

    According to the P4 Server Administration Guide it stays; older servers remove it.
    """
    install(server, ROW.format(names="%formname% %nosuch%"))

    assert values_of(connect(server)) in {"%formname% %nosuch%", "no error message"}


def test_the_variable_clientprog_has_the_program_name_sent_by_the_client(
    server: Server, connect: ClientFactory, install: Install
) -> None:
    install(server, ROW.format(names="%clientprog%"))
    p4 = connect(server, prog='x" --pass')

    if takes_names(p4):
        assert values_of(p4).startswith("x --pass [PY3.")
    else:
        assert 'x" --pass' in values_of(p4)


@pytest.mark.parametrize(
    ("release", "values"),
    [
        ("2023.1", "2 1 0"),
        ("2022.2", "%pressureCPU% %pressureMem% 0"),
        ("2022.1", "%pressureCPU% %pressureMem% %maxMemory%"),
    ],
)
def test_variables_of_later_releases_stay_unexpanded_on_older_servers(
    connect: ClientFactory, install: Install, release: str, values: str
) -> None:
    settings = Settings(
        server_version=ServerVersion.of(release), pressure=Pressure(cpu="2", mem="1")
    )
    with Sandbox(settings) as sandbox:
        install(sandbox, ROW.format(names="%pressureCPU% %pressureMem% %maxMemory%"))

        assert values_of(connect(sandbox)) == values


def test_pressure_variables_change_while_the_server_runs(
    sandbox: Sandbox, connect: ClientFactory, install: Install
) -> None:
    install(sandbox, ROW.format(names="%pressureCPU% %pressureMem%"))
    p4 = connect(sandbox)

    assert values_of(p4) == "%pressureCPU% %pressureMem%"
    sandbox.set_pressure(Pressure(cpu="high", mem="low"))
    assert values_of(p4) == "high low"
    sandbox.set_pressure(Pressure(cpu="low"))
    assert values_of(p4) == "low %pressureMem%"


def test_the_variable_groups_contains_indirect_groups(
    server: Server, connect: ClientFactory, install: Install
) -> None:
    admin = connect(server, server.super_user)
    admin.save_group({**admin.fetch_group("all"), "Subgroups": ["build-farm"]})
    install(server, ROW.format(names="%groups%"))

    assert values_of(connect(server, "build")) == "all build-farm"


def test_form_triggers_receive_form_type_form_name_and_command(
    server: Server, connect: ClientFactory, install: Install
) -> None:
    install(server, 't form-save label "fail %formtype% %formname% %command%"')

    with pytest.raises(P4Exception, match="'t' validation failed: label l user-label"):
        connect(server).save_label({"Label": "l"})
