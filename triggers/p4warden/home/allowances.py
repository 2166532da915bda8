"""Read and replace allowances.json: acts that administrators allow single users for a while.

Shape: `{"format": 1, "allowances": [{"id", "until_s", "user", "ip", "type", "name", "change",
"command", "exemption": {"reason", "owner", "rules": [NAME]}}]}`. Names are those of the decision
log, absent if they do not belong to the event; `ip` is absent where nobody can forge the user's
name. The exemption's reason begins with `allowance ID: `, for the decision log. The gate reads
the file if it exists (`triggers/gate/src/home/allowances_file.rs`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.home import summed_file, trusted_files
from p4warden.home.trusted_files import HomeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE_NAME = "allowances.json"
MAX_BYTES = 1 << 18
SUBJECT_FIELDS = ("type", "name", "change", "command")
_FORMAT = 1


class Allowance(NamedTuple):
    id: str  # of the refusal that it lifts
    until_s: int  # since the epoch
    user: str
    ip: str | None  # None where nobody can forge the user's name
    subject: Mapping[str, str]  # by fields of `SUBJECT_FIELDS`
    rule: str
    reason: str
    by: str

    def words(self) -> str:
        """Return it in words: `ann from 10.0.0.1: p4 sync with any arguments, despite narrow`."""
        address = f" from {self.ip}" if self.ip else ""
        return f"{self.user}{address}: {subject_words(self.subject)}, despite {self.rule}"


def subject_words(subject: Mapping[str, str]) -> str:
    """Return what an allowance holds for, which is more than what was refused."""
    if "command" in subject:
        return f"p4 {subject['command']} with any arguments"
    if "type" in subject:
        return f"{subject['type']} {subject['name']} with any content"
    return f"submit of change {subject['change']} with any files"


def read(home: str) -> list[Allowance]:
    """Return all allowances, also those that have ended; none without a file.

    Raises:
        HomeError: the file is not trusted, damaged or too large.
    """
    content = trusted_files.read_if_there(home, FILE_NAME)
    if content is None:
        return []
    path = f"{home}/{FILE_NAME}"
    if len(content) > MAX_BYTES:
        raise HomeError(f"{path}: is larger than {MAX_BYTES} bytes; remove it")
    try:
        document = json.loads(summed_file.text(content))
        if document["format"] != _FORMAT:
            raise HomeError(f"{path}: was written by another release; remove it")
        return [_allowance(one) for one in document["allowances"]]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise HomeError(f"{path}: is damaged; remove it") from error


def in_force(home: str, now_s: float) -> list[Allowance]:
    """Return the allowances that have not ended; errors as of `read`."""
    return [one for one in read(home) if now_s < one.until_s]


def known(home: str, now_s: float) -> list[Allowance]:
    """Return the allowances that have not ended; none if the file cannot be used."""
    try:
        return in_force(home, now_s)
    except HomeError:
        return []


def lifting(
    home: str, now_s: float, rule: str | None, event: Mapping[str, Any]
) -> list[Allowance]:
    """Return those that lift a rule's refusal of an event, if it comes from their address."""
    return [
        one
        for one in in_force(home, now_s)
        if (one.rule, one.user) == (rule, event.get("user"))
        and event.get("ip") in (None, one.ip or event.get("ip"))
        and all(event.get(name) == value for name, value in one.subject.items())
    ]


def replace(home: str, allowances: Iterable[Allowance]) -> None:
    """Write the file; raise `HomeError` if it cannot be written or would be too large."""
    document = {"format": _FORMAT, "allowances": [_document(one) for one in allowances]}
    content = summed_file.summed(json.dumps(document, indent=1))
    if len(content) > MAX_BYTES:
        raise HomeError(
            f"{home}/{FILE_NAME}: there are too many allowances; end some (p4warden allow lists "
            "them), or write exemptions into the policy"
        )
    trusted_files.replace(home, FILE_NAME, content)


def _prefix(refusal_id: str) -> str:
    return f"allowance {refusal_id}: "


def _allowance(document: Mapping[str, Any]) -> Allowance:
    exemption = document["exemption"]
    subject = {name: str(document[name]) for name in SUBJECT_FIELDS if name in document}
    one = Allowance(
        document["id"],
        int(document["until_s"]),
        document["user"],
        document.get("ip"),
        subject,
        exemption["rules"][0],
        exemption["reason"].removeprefix(_prefix(document["id"])),
        exemption["owner"],
    )
    subject_words(one.subject)
    return one


def _document(one: Allowance) -> dict[str, Any]:
    exemption = {"reason": f"{_prefix(one.id)}{one.reason}", "owner": one.by, "rules": [one.rule]}
    address = {} if one.ip is None else {"ip": one.ip}
    who = {"id": one.id, "until_s": one.until_s, "user": one.user, **address}
    return {**who, **one.subject, "exemption": exemption}
