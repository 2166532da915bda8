"""Tests of the sandbox's message numbers against those known from real servers and clients."""

import pytest

from p4warden_sandbox import file_messages, messages
from p4warden_sandbox.message_stack import CommandError, MessageId, client_message


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (messages.TRIGGER_FAILED, 839195695),
        (messages.TRIGGER_OUTPUT, 285547882),
        (messages.ERROR_IN_SPEC, 822353219),
        (messages.UNKNOWN_COMMAND, 805379098),
        (messages.BAD_PASSWORD, 807672853),
        (messages.PASSWORD_INVALID, 805575718),
        (messages.LOGGED_IN, 285220165),
        (messages.LOGIN_NOT_REQUIRED, 285220153),
        (messages.UNICODE_SERVER, 807672854),
        (messages.UNICODE_CLIENT, 807672855),
        (messages.DOMAIN_SAVED, 301996258),
        (messages.DOMAIN_UNCHANGED, 301996259),
        (messages.DOMAIN_DELETED, 301996260),
        (messages.DEPOT_SAVED, 285219026),
        (messages.DEPOT_DELETED, 285219028),
        (messages.USER_SAVED, 285219172),
        (messages.USER_DELETED, 285219176),
        (messages.GROUP_CREATED, 285219057),
        (messages.GROUP_UPDATED, 285219061),
        (messages.GROUP_DELETED, 285219059),
        (messages.TRIGGERS_SAVED, 268441952),
        (messages.TRIGGERS_UNCHANGED, 268441953),
        (file_messages.NO_SUCH_FILES, 554768759),
        (messages.NO_SUCH_DEPOT, 822220832),
        (messages.NO_SUCH_DOMAIN, 838998050),
        (messages.NO_SUCH_USER, 822221158),
        (messages.NO_SUCH_GROUP, 822220872),
        (file_messages.REFER_CLIENT, 838998116),
        (messages.NO_PERMISSION, 805705769),
        (messages.FIELD_MISSING, 822153261),
        (messages.FIELD_UNKNOWN, 822153263),
        (messages.FIELD_WORDS, 822153260),
        (messages.FIELD_TOO_MANY, 822153258),
        (messages.FIELD_BAD_VALUE, 838930475),
        (messages.SYNTAX, 822153266),
        (messages.LINE_NUMBER, 822153267),
    ],
    ids=lambda value: value.format if isinstance(value, MessageId) else "",
)
def test_message_codes_equal_the_codes_of_real_servers(kind: MessageId, code: int) -> None:
    assert kind.code == code


def test_an_error_message_with_a_context_lists_its_cause_first() -> None:
    error = CommandError(messages.SYNTAX, value="%x%\n").under(messages.LINE_NUMBER, line="3")

    assert client_message(*error.stack).pairs == (
        ("code0", "822153266"),
        ("fmt0", "Syntax error in '%value%'."),
        ("code1", "822153267"),
        ("fmt1", "Error detected at line %line%."),
        ("value", "%x%\n"),
        ("line", "3"),
        ("func", "client-Message"),
    )
