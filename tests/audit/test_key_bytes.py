from __future__ import annotations

from p4warden.workbench.audit.clients import AuditedClient
from p4warden.workbench.audit.key_bytes import Part, parts
from p4warden.workbench.audit.small_tables import Domain

DIRECTORIES = [
    ("//depot/", 1000),
    ("//depot/com/", 700),
    ("//depot/com/our-company/", 690),
    ("//depot/com/our-company/epiphany-project/", 680),
    ("//depot/com/our-company/epiphany-project/a/", 300),
    ("//depot/com/our-company/epiphany-project/b/", 300),
    ("//depot/tests/", 300),
]


def client(name: str, have: int | None) -> AuditedClient:
    return AuditedClient(Domain(name, "client", "ann", 0, 0, 0, None, None), 9, have)


def test_a_part_has_its_bytes_after_the_outer_part_and_levels_of_one_directory_are_one() -> None:
    project = "//depot/com/our-company/epiphany-project/"
    assert parts(DIRECTORIES, []) == [
        Part(project, "db.rev", 680, 680 * 33, 680 * (3 + 8)),
        Part("//depot/", "db.rev", 1000, 8000, 0),
        Part("//depot/tests/", "db.rev", 300, 1800, 0),
        Part(f"{project}a/", "db.rev", 300, 600, 0),
        Part(f"{project}b/", "db.rev", 300, 600, 0),
    ]


def test_the_names_of_clients_lead_the_keys_of_their_files() -> None:
    clients = [client("build-agent-0001", 1000), client("ann", 10), client("new", None)]
    [part] = parts([], clients)
    assert part == Part("//CLIENT/ of 2 clients", "db.have", 1010, 19 * 1000 + 6 * 10, 8 * 1000)


def test_bytes_are_those_of_the_servers_encoding() -> None:
    [part] = parts([("//depot/テスト/", 10)], [])
    assert part == Part("//depot/テスト/", "db.rev", 10, 180, 10)
