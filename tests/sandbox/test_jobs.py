"""Tests of `p4 job`, `p4 jobspec`, `p4 spec` and `p4 fixes` on the sandbox.

The list of `p4 fixes` is always empty, but its arguments are checked.
"""

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox
from support.servers import ClientFactory, Server
from support.triggers import Install, Script
from support.workspaces import ClientWorkspace


def test_a_new_job_has_preset_values_and_is_saved_and_deleted(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    job = p4.run("job", "-o", "broken")[0]

    assert (job["Job"], job["Status"], job["User"]) == ("broken", "open", "ann")
    assert job["Description"] == "<enter description here>\n"
    p4.input = {**job, "Status": "closed"}
    assert p4.run("job", "-i") == ["Job broken saved."]
    assert p4.run("job", "-o", "broken")[0]["Status"] == "closed"
    assert p4.run("job", "-d", "broken") == ["Job broken deleted."]
    with pytest.raises(P4Exception, match="Job 'broken' doesn't exist"):
        p4.run("job", "-d", "broken")


def test_a_new_job_without_a_name_gets_a_number(server: Server, connect: ClientFactory) -> None:
    p4 = connect(server)
    p4.input = p4.run("job", "-o")[0]

    assert p4.run("job", "-i") == ["Job job000001 saved."]


def test_a_field_added_to_the_jobspec_is_saved_and_checked_in_jobs(
    admin: P4, server: Server, connect: ClientFactory
) -> None:
    spec = admin.run("jobspec", "-o")[0]
    admin.input = {
        **spec,
        "Fields": [*spec["Fields"], "110 Team select 32 optional"],
        "Values": [*spec["Values"], "Team red/blue"],
    }
    assert admin.run("jobspec", "-i") == ["Spec job saved."]

    p4 = connect(server)
    job = p4.run("job", "-o", "broken")[0]
    p4.input = {**job, "Team": "Blue"}
    p4.run("job", "-i")
    assert p4.run("job", "-o", "broken")[0]["Team"] == "blue"
    p4.input = {**job, "Team": "green"}
    with pytest.raises(P4Exception, match="must be one of red/blue"):
        p4.run("job", "-i")


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        ("x Team word 32 optional", "Invalid field code 'x'."),
        ("110 Team words 32 optional", "Invalid field type 'words'."),
        ("110 Team word long optional", "Invalid field length 'long'."),
        ("110 Team word 32 maybe", "Invalid field setting 'maybe'."),
    ],
)
def test_invalid_field_definitions_in_a_jobspec_are_refused(
    admin: P4, field: str, problem: str
) -> None:
    spec = admin.run("jobspec", "-o")[0]
    admin.input = {**spec, "Fields": [*spec["Fields"], field]}

    with pytest.raises(P4Exception) as error:
        admin.run("jobspec", "-i")
    assert problem in error.value.errors[0]


@pytest.mark.state(protections="filled")
def test_only_the_super_user_can_change_the_jobspec(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    p4.input = p4.run("jobspec", "-o")[0]

    with pytest.raises(P4Exception, match="You don't have permission"):
        p4.run("jobspec", "-i")


def test_the_variable_specdef_contains_the_field_definitions(
    sandbox: Sandbox, connect: ClientFactory, install: Install, script: Script
) -> None:
    report = script('echo "$1" | cut -d";" -f1-2')
    install(sandbox, f'fields form-out job "{report} %specdef%"')

    with (p4 := connect(sandbox)).while_tagged(t=False):
        assert p4.run("job", "-o", "broken")[0].startswith("Job;code:101\n")


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("job", "102 Status select 10 required"),
        ("client", "311 View wlist 64 optional"),
        ("stream", "709 Description text 0 optional"),
        ("typemap", "601 TypeMap wlist 64 default"),
    ],
)
def test_spec_lists_the_fields_of_a_form_type(
    server: Server, connect: ClientFactory, form: str, line: str
) -> None:
    assert line in connect(server).run("spec", "-o", form)[0]["Fields"]


def test_spec_refuses_an_unknown_form_type(server: Server, connect: ClientFactory) -> None:
    with pytest.raises(P4Exception, match="Spec none not defined"):
        connect(server).run("spec", "-o", "none")


@pytest.mark.parametrize("form", ["ldap", "remote", "repo"])
def test_ldap_remote_and_repo_forms_can_be_shown_but_not_saved(
    sandbox: Sandbox, connect: ClientFactory, form: str
) -> None:
    p4 = connect(sandbox)

    assert "one" in p4.run(form, "-o", "one")[0].values()
    with pytest.raises(P4Exception, match=f"does not do '{form} -i'"):
        p4.run(form, "-i")


def test_fixes_returns_an_empty_list(disk: ClientWorkspace) -> None:
    number = disk.submit("work/a.c")

    assert disk.p4.run("fixes") == []
    assert disk.p4.run("fixes", "-c", number) == []
    assert disk.p4.run("fixes", "-m1", "//depot/work/a.c") == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("-c", "9999"), "Change 9999 unknown."),
        (("-c", "x"), "Invalid changelist number 'x'."),
        (("//depot/work/none",), "//depot/work/none - no such file(s)."),
    ],
)
def test_fixes_reports_an_unknown_changelist_or_file(
    disk: ClientWorkspace, arguments: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(P4Exception) as error:
        disk.p4.run("fixes", *arguments)
    assert [*error.value.errors, *error.value.warnings] == [problem]
