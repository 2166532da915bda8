"""Tests that a policy which still has an example's address is warned of."""

from __future__ import annotations

import pytest

from p4warden.policy import example_addresses
from p4warden.policy.compiled import compile_policy


@pytest.mark.parametrize(
    ("contact", "host"),
    [
        ("Perforce admins <p4-admins@example.com>", "example.com"),
        ("P4@EXAMPLE.ORG", "example.org"),
        ("https://help.p4.example.net/ask?x=1", "help.p4.example.net"),
        ("ask p4@studio.example.", "studio.example"),
        ("p4@mail.invalid or ext. 4711", "mail.invalid"),
        ("p4@build.test", "build.test"),
        ("p4@srv.localhost", "srv.localhost"),
        ("p4@example.com.au", None),
        ("p4@counterexample.com", None),
        ("p4@example-studio.com, for example ext. 4711", None),
        ("p4@test.studio.com", None),
        ("the Perforce administrators", None),
    ],
)
def test_a_contact_at_a_reserved_name_is_a_doubt(contact: str, host: str | None) -> None:
    policy = compile_policy({"contact": contact, "help_url": contact, "rules": []}, "d")
    found = [(one.path, one.text) for one in example_addresses.doubts(policy)]
    text = f"{host} is an example that reaches nobody (write your own)"
    assert found == ([(("contact",), text), (("help_url",), text)] if host else [])
