from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import click

from p4warden.commands.options import checked_policy, named_policy
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.visible import visible_text
from p4warden.home import public_file, usable
from p4warden.policy.judged import judging_by
from p4warden.rehearse import cases


@click.command()
@click.argument("policy", type=named_policy)
@click.argument("cases_file", metavar="[CASES]", required=False)
@click.option("--junit", metavar="PATH", help="Write the results to PATH as JUnit XML.")
def test(policy: str, cases_file: str | None, junit: str | None) -> int:
    """Judge the cases of POLICY: those in CASES, or in the file beside it, NAME.cases.yaml.

    Exit code: 0 if every case got its expected verdict, 1 if one did not or there are none.
    """
    usable.refuse_unwritable(junit)
    judged_by = checked_policy(policy)
    file = _named_file(cases_file) if cases_file else _file_beside(policy)
    with judging_by(judged_by) as judge:
        results = list(cases.run(file, judge.ask))
    failures = [result for result in results if result.problem]
    for result in failures:
        click.echo(f"{result.place}: {result.name}: {result.problem}")
    click.echo(f"{amount(len(results), 'case')}, {len(failures)} failed")
    if junit:
        public_file.write(junit, _junit(policy, results))
    return 1 if failures else 0


def _named_file(file: str) -> str:
    if not Path(file).exists():
        raise P4WardenError(f"{file} does not exist; name an existing file of test cases")
    return file


def _file_beside(policy: str) -> str:
    file = Path(policy).with_suffix(".cases.yaml")
    if not file.exists():
        raise P4WardenError(f"{policy} has no test cases: {file} does not exist; write some there")
    return str(file)


def _junit(policy: str, results: list[cases.Result]) -> str:
    failures = str(sum(result.problem is not None for result in results))
    name = visible_text(policy)
    suite = ET.Element("testsuite", name=name, tests=str(len(results)), failures=failures)
    for result in results:
        case = ET.SubElement(suite, "testcase", classname=name, name=result.name)
        if result.problem:
            ET.SubElement(case, "failure", message=f"{result.place}: {result.problem}")
    return ET.tostring(suite, "unicode") + "\n"
