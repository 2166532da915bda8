"""Tests of the two ways of splitting text into words: lines of forms, and commands of triggers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden_sandbox.words import join_words, split_command, split_words

pieces = st.text(st.sampled_from('ab "\t\n#\u00a0'), max_size=12)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("//depot/... //ws/...", ["//depot/...", "//ws/..."]),
        ('"//depot/a b/..." "//ws/a b/..."', ["//depot/a b/...", "//ws/a b/..."]),
        ('-"//depot/a b/..." //ws/...', ['-"//depot/a', 'b/..."', "//ws/..."]),
        ('"-//depot/a b/..." //ws/...', ["-//depot/a b/...", "//ws/..."]),
        ("\t a \r\v\f b \n", ["a", "b"]),
        ("a\u00a0b c", ["a\u00a0b", "c"]),
        ('"a"b', ["a", "b"]),
        ('a"b c"', ['a"b', 'c"']),
        ('"" ""', ["", ""]),
        ('"no end', ["no end"]),
        ("", []),
    ],
)
def test_form_lines_are_split_into_words(line: str, words: list[str]) -> None:
    assert split_words(line) == words


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["chk", "form-save", "client", "/bin/chk"], "chk form-save client /bin/chk"),
        (["chk", "form-save", "client", "chk %user%"], 'chk form-save client "chk %user%"'),
        (["a#b", "", "c\td"], '"a#b" "" c\td'),
    ],
)
def test_joined_form_words_are_quoted_where_necessary(words: list[str], line: str) -> None:
    assert join_words(words) == line


@given(st.lists(st.text(st.characters(exclude_characters='"\t\n\v\f\r\0'))))
def test_joined_form_words_are_split_back_unchanged(words: list[str]) -> None:
    assert split_words(join_words(words)) == words


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ('"foo bar"', ["foo bar"]),
        ('foo" "bar', ["foo bar"]),
        ('"foo""bar"', ['foo"bar']),
        ('foo""bar', ['foo"bar']),
        ('t "" end', ["t", '"', "end"]),
        ('t "a b', ["t", "a b"]),
        ("t\ta\nb", ["t", "a", "b"]),
        ("t $(id);`id` 'a b'", ["t", "$(id);`id`", "'a", "b'"]),
        ("a\0b c", ["a"]),
        ("  ", []),
    ],
)
def test_trigger_commands_are_split_into_arguments(command: str, arguments: list[str]) -> None:
    assert split_command(command) == arguments


@given(pieces)
def test_a_trigger_command_is_split_as_by_a_letter_by_letter_parser(command: str) -> None:
    assert split_command(command) == letter_by_letter(command)


def letter_by_letter(command: str) -> list[str]:
    """Split a trigger command letter by letter, by the rules of StrOps::Words (Perforce API)."""
    words: list[str] = []
    rest = list(command)
    while rest:
        if rest[0] in " \t\n\v\f\r":
            rest.pop(0)
            continue
        words.append("")
        quoted = False
        while rest and (quoted or rest[0] not in " \t\n\v\f\r"):
            letter = rest.pop(0)
            if letter == '"' and rest[:1] == ['"']:
                words[-1] += rest.pop(0)
            elif letter == '"':
                quoted = not quoted
            else:
                words[-1] += letter
    return words
