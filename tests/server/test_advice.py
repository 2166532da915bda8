"""Tests of p4warden's messages for servers that cannot be used, by errors of Perforce's
C++ API.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from p4warden.core.errors import P4WardenError
from p4warden.server.error_advice import FailedConnection, advice

RPC, DM, SERVER = 3 * 1024, 6 * 1024, 7 * 1024
PLAIN = FailedConnection("p4:1666", "ann", None)
KEY = "E5:72:D6:70:CD:40:73:7D:60:41:01:3E:DF:88:73:92:34:B6:1B:33"
LOGIN = "p4 -p p4:1666 -u ann login"


class Case(NamedTuple):
    number: int
    server_message: str
    advice_text: str


CASES = [
    Case(
        SERVER + 21,
        "Perforce password (P4PASSWD) invalid or unset.",
        f"ann@p4:1666: not logged in; run {LOGIN}",
    ),
    Case(
        SERVER + 312,
        "Your session has expired, please login again.",
        f"ann@p4:1666: the ticket has expired; run {LOGIN}",
    ),
    Case(
        SERVER + 318,
        "Your session was logged out, please login again.",
        f"ann@p4:1666: the ticket has expired; run {LOGIN}",
    ),
    Case(
        SERVER + 322,
        "Password not allowed at this server security level, use 'p4 login'.",
        f"ann@p4:1666: not logged in; run {LOGIN}",
    ),
    Case(
        SERVER + 455,
        "Your password has expired, please change your password.",
        "ann@p4:1666: the server requires a new password for this account first; "
        "run p4 -p p4:1666 -u ann passwd",
    ),
    Case(
        SERVER + 891,
        "Multi factor authentication required! Run 'p4 login2'.",
        "ann@p4:1666: the server requires a second factor for this account; "
        "run p4 -p p4:1666 -u ann login2",
    ),
    Case(
        DM + 793,
        "Error in triggers specification.\nTrigger depot file '//a/b' not found.",
        "ann@p4:1666: the server rejects the triggers table: Error in triggers "
        "specification.; Trigger depot file '//a/b' not found; fix that line with p4 triggers, "
        "then run p4warden deploy plan again",
    ),
    Case(
        DM + 41,
        "You don't have permission for this operation.",
        "ann@p4:1666: this needs an account with super access; specify one with --user",
    ),
    Case(
        DM + 123,
        "Access for user 'ann' has not been enabled by 'p4 protect'.",
        "ann@p4:1666: this account does not exist on the server, or p4 protect gives it no "
        "access; specify another with --user",
    ),
    Case(
        RPC + 48,
        "The authenticity of '10.0.0.1:1666' can't be established,\nthis may be your first attempt"
        f" to connect to this P4PORT.\nThe fingerprint for the key sent to your client is\n{KEY}",
        f"p4:1666: the server's key {KEY} is not trusted yet; compare it with what p4d -Gf prints "
        "on the server's host, then run p4 -p p4:1666 -u ann trust",
    ),
    Case(
        RPC + 49,
        "******* WARNING P4PORT IDENTIFICATION HAS CHANGED! *******\nThe fingerprint for the "
        f"mismatched key sent to your client is\n{KEY}",
        f"p4:1666: the server's key {KEY} differs from the trusted one, so a man-in-the-middle is"
        " possible; if the key was changed on purpose, run p4 -p p4:1666 -u ann trust -f",
    ),
    Case(
        RPC + 33,
        "Failed client connect, server using SSL.\nClient must add SSL protocol prefix to P4PORT.",
        "p4:1666: the server requires TLS; write ssl: before the port",
    ),
    Case(
        0,
        "Failed client connect, server using SSL.\nClient must add SSL protocol prefix to P4PORT.",
        "p4:1666: the server requires TLS; write ssl: before the port",
    ),
    Case(
        SERVER + 22,
        "Unicode server permits only unicode enabled clients.",
        "p4:1666: the server's unicode mode was switched; run p4warden refresh",
    ),
    Case(
        SERVER + 23,
        "Unicode clients require a unicode enabled server.",
        "p4:1666: the server's unicode mode was switched; run p4warden refresh",
    ),
    Case(
        DM + 12,
        "Purely numeric name not allowed - 'ann'.",
        "ann@p4:1666: Purely numeric name not allowed - 'ann'; if that is the account, specify "
        "another with --user or P4USER",
    ),
    Case(
        0,
        "TCP send failed.",
        "p4:1666: the server cannot be reached; check the port, and that p4d is running",
    ),
    Case(
        DM + 1000,
        "Request too large (over 150000); see 'p4 help maxresults'.\n\nSecond line.\n  Third.\n4.",
        "ann@p4:1666: Request too large (over 150000); see 'p4 help maxresults'.; Second line.; "
        "Third.",
    ),
    Case(0, "", "ann@p4:1666: the connection failed"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.server_message[:30])
def test_an_error_is_reported_in_one_line_with_advice(case: Case) -> None:
    problem, remedy = advice(PLAIN, [case.number], case.server_message)
    assert str(P4WardenError(problem, remedy)) == case.advice_text


def test_the_advised_login_command_names_the_ticket_file_and_is_quoted() -> None:
    odd = FailedConnection("ssl:p4:1666", "a b", "/var/my tickets")
    assert advice(odd, [SERVER + 312], "") == (
        "a b@ssl:p4:1666: the ticket has expired",
        "run P4TICKETS='/var/my tickets' p4 -p ssl:p4:1666 -u 'a b' login",
    )
