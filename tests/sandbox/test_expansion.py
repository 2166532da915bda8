"""Tests of trigger arguments: variables are expanded before the command is split into words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden_sandbox.trigger_variables import quoted
from p4warden_sandbox.words import expand, split_command

QUOTE = {"quote": '"'}


@pytest.mark.parametrize(
    ("command", "variables", "arguments"),
    [
        pytest.param(
            "t %user% %client% %clientprog%",
            {"user": "ann", "client": "", "clientprog": "Helix P4V"},
            ["t", "ann", "Helix", "P4V"],
            id="an empty value vanishes, a blank splits",
        ),
        pytest.param(
            "t %quote%%client%%quote% end",
            {"client": ""},
            ["t", '"', "end"],
            id="an empty value in quotes is one quote",
        ),
        pytest.param(
            "t %quote%--client=%client%%quote% end",
            {"client": ""},
            ["t", "--client=", "end"],
            id="an empty value with its name is safe",
        ),
        pytest.param(
            "t %quote%--u=%x%%quote%",
            {"x": 'a" "--pass'},
            ["t", "--u=a", "--pass"],
            id="a value with quotes breaks out",
        ),
        pytest.param(
            "t --u=%x%",
            {"x": "$(id);`id`"},
            ["t", "--u=$(id);`id`"],
            id="there is no shell",
        ),
        pytest.param("t %nosuch% x", {}, ["t", "%nosuch%", "x"], id="an unknown name stays"),
        pytest.param("t 100% sure", {}, ["t", "100", "sure"], id="a lone percent is dropped"),
        pytest.param("t 100%% sure", {}, ["t", "100%", "sure"], id="two are one"),
        pytest.param("t %a b%", {}, ["t", "%a", "b%"], id="a name may hold anything"),
        pytest.param("%x%", {"x": "%user%", "user": "ann"}, ["%user%"], id="only once"),
    ],
)
def test_variables_are_expanded_before_the_trigger_command_is_split(
    command: str, variables: dict[str, str], arguments: list[str]
) -> None:
    assert split_command(expand(command, variables | QUOTE)) == arguments


@given(st.text(st.characters(exclude_characters="%")))
def test_a_trigger_command_without_variables_is_unchanged(command: str) -> None:
    assert expand(command, {"user": "ann"}) == command


@given(st.text())
def test_variables_inside_a_variable_value_are_not_expanded(value: str) -> None:
    assert expand("<%x%>", {"x": value, "user": "ann"}) == f"<{value}>"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ""),
        (["-o", "ws"], "-o,ws"),
        (["a,b", "100%", "two words"], "a%2Cb,100%25,two words"),
    ],
)
def test_command_arguments_are_joined_by_commas_and_percent_encoded(
    arguments: list[str], expected: str
) -> None:
    assert quoted(arguments, "comma") == expected
