"""Tests of parsing a trigger line's arguments, with users who try to inject options."""

from __future__ import annotations

import pytest

from p4warden.worker import arguments

LINE = [
    "form-save",
    "--home=/home",
    "--on-error=deny",
    "--type=client",
    "--form=/tmp/form",
    "--user=ann",
    "--ip=10.0.0.1",
    "--groups=dev qa",
]


def test_a_trigger_line_is_parsed_into_its_event_and_options() -> None:
    values = arguments.parse([*LINE, "--client=ws", "--name=ws 2", "--prog=Helix P4V"])
    assert values.event == "form-save"
    assert values.options == {
        "home": "/home",
        "on-error": "deny",
        "type": "client",
        "form": "/tmp/form",  # noqa: S108 - an argument, no file
        "user": "ann",
        "ip": "10.0.0.1",
        "groups": "dev qa",
        "client": "ws",
        "name": "ws 2",
        "prog": "Helix P4V",
    }


@pytest.mark.parametrize("carrier", arguments.USERS)
@pytest.mark.parametrize("target", arguments.TRUSTED_OPTIONS)
def test_an_option_injected_after_a_value_that_users_choose_is_ignored(
    carrier: str, target: str
) -> None:
    honest = [word for word in LINE if not word.startswith(f"--{target}=")]
    injected_options = [f"--{carrier}=a", f"--{target}=evil", "stray", f"--{target}=evil"]
    assert arguments.parse([*honest, *injected_options]).get(target) is None
    assert arguments.parse([*LINE, *injected_options]).get(target) == arguments.parse(LINE).get(
        target
    )


@pytest.mark.parametrize("name", arguments.USERS)
def test_the_first_occurrence_of_an_option_wins_even_if_empty(name: str) -> None:
    assert arguments.parse([*LINE, f"--{name}=a", f"--{name}=b"]).get(name) == "a"
    assert arguments.parse([*LINE, f"--{name}=", f"--{name}=b"]).get(name) is None


@pytest.mark.parametrize("value", ["", "%client%", "%x%"])
def test_an_empty_or_unexpanded_value_is_absent(value: str) -> None:
    assert arguments.parse([*LINE, f"--client={value}"]).get("client") is None


@pytest.mark.parametrize("value", ["%", "%%", "a%b%", "100%", "%a%b%"])
def test_a_value_with_percent_signs_that_is_no_variable_is_kept(value: str) -> None:
    assert arguments.parse([*LINE, f"--client={value}"]).get("client") == value


def test_no_arguments_are_parsed_as_no_event_and_no_options() -> None:
    assert arguments.parse([]) == arguments.Arguments("", {})


def test_options_after_a_user_name_with_a_quotation_mark_are_ignored() -> None:
    user_option = '--user=ann" --ip=10.0.0.1 --groups=dev --client=ws --name=ws --prog=x'
    values = arguments.parse(
        [
            "form-save",
            "--home=/home",
            "--form=/f",
            user_option,
            "--groups=build-farm",
            "--home=/evil",
        ]
    )
    assert values.options == {"home": "/home", "form": "/f", "user": user_option[7:]}
