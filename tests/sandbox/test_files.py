"""Tests of `p4 dirs`, `p4 files` and `p4 fstat` on the sandbox server."""

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import DepotSeed, Sandbox, Settings
from support.servers import ClientFactory

SOURCES = ("//depot/main/src/engine.c", "//depot/main/src/engine.h")


@pytest.fixture
def p4(sandbox: Sandbox, connect: ClientFactory) -> P4:
    return connect(sandbox)


def paths_of(p4: P4, *command: str) -> list[str]:
    return [row.get("depotFile") or row["dir"] for row in p4.run(*command)]


@pytest.mark.parametrize(
    ("path", "directories"),
    [
        ("//*", ["//depot", "//streams", "//thirdparty"]),
        (
            "//depot/*",
            [f"//depot/{name}" for name in ("docs", "libs", "main", "rel", "tests", "tools")],
        ),
        (
            "//thirdparty/*/*",
            [f"//thirdparty/{n}" for n in ("acme/json", "acme/yaml", "globex/png")],
        ),
        ("//depot/r*", ["//depot/rel"]),
        ("//depot/main", ["//depot/main"]),
    ],
)
def test_dirs_lists_the_directories_that_match_a_path(
    p4: P4, path: str, directories: list[str]
) -> None:
    assert paths_of(p4, "dirs", path) == directories


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("//depot/main/src/*.h", [SOURCES[1]]),
        ("//depot/main/src/engine.%%1", list(SOURCES)),
        ("//.../socket.c", ["//depot/main/src/net/socket.c"]),
        ("//depot/main/src/engine.c#head", [SOURCES[0]]),
        ("//depot/main/src/engine.c@1", [SOURCES[0]]),
    ],
)
def test_files_and_fstat_list_the_files_that_match_a_path(
    p4: P4, path: str, files: list[str]
) -> None:
    assert paths_of(p4, "files", path) == files
    assert paths_of(p4, "fstat", path) == files


def test_option_m_limits_the_number_of_files(p4: P4) -> None:
    assert len(p4.run("files", "-m", "2", "//...")) == 2
    assert len(p4.run("fstat", "-m2", "//...")) == 2
    with pytest.raises(P4Exception, match=r"-m needs a non-negative integer argument"):
        p4.run("files", "-m", "two", "//...")


def test_dirs_files_and_fstat_print_a_line_for_each_file_without_tags(p4: P4) -> None:
    with p4.while_tagged(t=False):
        assert p4.run("dirs", "//depot/m*") == ["//depot/main"]
        assert [(m.msgid, m.dict["dirName"]) for m in p4.messages] == [(6353, "//depot/main")]
        assert p4.run("files", SOURCES[0]) == [f"{SOURCES[0]}#1 - add change 1 (text)"]
        assert p4.run("fstat", "-T", "depotFile,headRev", SOURCES[0]) == [
            f"... depotFile {SOURCES[0]}\n... headRev 1\n"
        ]


def test_fstat_returns_only_the_fields_chosen_by_option_t(p4: P4) -> None:
    assert p4.run("fstat", "-T", "depotFile, headRev", SOURCES[0]) == [
        {"depotFile": SOURCES[0], "headRev": "1"}
    ]


def test_client_paths_are_mapped_to_files_by_the_client_view(p4: P4) -> None:
    p4.save_client(
        {
            "Client": "ws",
            "Root": "/r",
            "View": [
                "//depot/main/... //ws/...",
                "-//depot/main/src/net/... //ws/src/net/...",
                "//depot/libs/*/*.c //ws/lib/*/*.c",
            ],
        }
    )

    assert paths_of(p4, "files", "//ws/src/...") == list(SOURCES)
    assert p4.run("fstat", "-T", "clientFile", "//ws/lib/...") == [
        {"clientFile": "/r/lib/zip/zip.c"}
    ]


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        (["files", "//depot/none/..."], "//depot/none/... - no such file(s)."),
        (["dirs", "//depot/none/*"], "//depot/none/* - no such file(s)."),
        (["fstat", "//depot/main"], "//depot/main - no such file(s)."),
    ],
)
def test_a_path_without_matching_files_is_a_warning(
    p4: P4, command: list[str], warning: str
) -> None:
    with pytest.raises(P4Exception) as error:
        p4.run(*command)
    assert (error.value.errors, error.value.warnings) == ([], [warning])


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (["files", "//none/..."], "//none/... - must refer to client 'ws' or a depot."),
        (["dirs", "//none/*"], "//none/* - must refer to client 'ws' or a depot."),
        (
            ["fstat", "/home/ann/ws/a.c"],
            "/home/ann/ws/a.c - must create client 'ws' to access local files.",
        ),
        (["files", "//depot/...@ann"], "The p4warden sandbox does not do 'files@ann'."),
        (["files", "//depot/...#"], "Unintelligible revision specification '#'."),
        (["fstat", "-Ob", "//..."], "The p4warden sandbox does not do 'fstat -Ob'."),
    ],
)
def test_invalid_and_unsupported_file_arguments_are_errors(
    p4: P4, command: list[str], error: str
) -> None:
    with pytest.raises(P4Exception) as failure:
        p4.run(*command)
    assert failure.value.errors == [error]


def test_paths_match_case_insensitively_only_on_a_case_insensitive_server(
    connect: ClientFactory,
) -> None:
    files = ("//depot/Main/a.c",)
    settings = Settings(depots=(DepotSeed("depot"),), streams=(), files=files)
    with (
        Sandbox(settings) as sensitive,
        Sandbox(settings._replace(case_sensitive=False)) as insensitive,
    ):
        with pytest.raises(P4Exception, match="no such file"):
            connect(sensitive).run("files", "//depot/main/*")
        assert paths_of(connect(insensitive), "files", "//DEPOT/main/*") == ["//depot/Main/a.c"]


def test_files_and_dirs_list_a_tree_of_20000_files(connect: ClientFactory) -> None:
    files = tuple(f"//depot/d{n % 100}/f{n}" for n in range(20_000))
    with Sandbox(Settings(files=files)) as sandbox:
        p4 = connect(sandbox)

        assert len(p4.run("files", "//depot/d7/*")) == 200
        assert len(p4.run("dirs", "//depot/*")) == 100
