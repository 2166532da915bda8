"""Tests of form texts on the sandbox server: parsing, error messages, formatting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from P4 import P4

from p4warden_sandbox.form_fields import FormDefinition
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.specdefs import CLIENT, GROUP, STREAM, TRIGGERS
from p4warden_sandbox.specs import Entry, Spec, format_form, header, parse, tagged

HEAD = "Client: ws\nRoot: /r\n"
LETTERS = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters='"')


def words(least: int, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(LETTERS, min_size=1, max_size=9), min_size=least, max_size=most)


def quoted(strings: list[str]) -> str:
    return " ".join(f'"{s}"' if "#" in s else s for s in strings)


view_entries = st.builds(
    Entry, words(2, 2).map(quoted), st.sampled_from(["", "## kept", "## a: b # c"])
)
texts = st.lists(st.text(LETTERS, max_size=9)).map(lambda lines: "\n".join([*lines, "end"]))


@st.composite
def clients(draw: st.DrawFn) -> Spec:
    fields = {
        "Client": (Entry(draw(words(1, 1))[0]),),
        "Description": (Entry(draw(texts) + "\n"),),
        "Root": (Entry(quoted(draw(words(1, 3)))),),
        "LineEnd": (Entry(draw(st.sampled_from(["local", "unix", "share"]))),),
        "View": tuple(draw(st.lists(view_entries, min_size=1))),
    }
    return Spec(CLIENT, fields)


def entries(form: FormDefinition, text: str, field: str) -> list[tuple[str, ...]]:
    return [tuple(part for part in e if part) for e in parse(form, text).values.get(field, ())]


def refusal(form: FormDefinition, text: str) -> list[str]:
    """Return the error messages for a form text that the sandbox server refuses."""
    with pytest.raises(CommandError) as error:
        parse(form, text)
    lines = []
    for output in reversed(error.value.stack):
        line = output.kind.format
        for name, value in output.values.items():
            line = line.replace(f"%{name}%", value)
        lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("View:\n\t//d/... //ws/...\n", [("//d/... //ws/...",)]),
        ("View:\t//d/... //ws/...\n", [("//d/... //ws/...",)]),
        ("view:\r\n  //d/... //ws/...\r\n", [("//d/... //ws/...",)]),
        ("View:\n\n \n\t//d/... //ws/...", [("//d/... //ws/...",)]),
        ("View:\n\t//d/...\t\t//ws/...  \n", [("//d/... //ws/...",)]),
        ("View:\n\t//d/... //ws/... # gone\n\t# gone\n# gone\n", [("//d/... //ws/...",)]),
        ("View:\n\t//d/... //ws/... ## why\n", [("//d/... //ws/...", "## why")]),
        ("View:\n\t## alone\n\t//a //b\n", [("## alone",), ("//a //b",)]),
        ('View:\n\t"//d/a#b" //ws/x#y\n', [('"//d/a#b" //ws/x',)]),
        ('View:\n\t"//d/a b/..." "//ws/a b/..."\n', [('"//d/a b/..." "//ws/a b/..."',)]),
        ('View:\n\t"//d/a\n\tb" //ws/x\n', [("//d/a\n\tb //ws/x",)]),
        ("View:\n\t//a //b\nView:\n\t//c //d\n", [("//a //b",), ("//c //d",)]),
        ("View:\n\t//a: //b\n", [("//a: //b",)]),
        ("View:\n\t//a //b\n\0 nothing of this is read", [("//a //b",)]),
        ("View:\n", []),
    ],
)
def test_a_view_field_is_parsed_into_entries_with_kept_comments(
    lines: str, expected: list[tuple[str, ...]]
) -> None:
    assert entries(CLIENT, HEAD + lines, "View") == expected


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("Description: one line\n", "one line\n"),
        ("Description:\n\tone\n\n\ttwo\n\n\n", "one\n\ntwo\n"),
        ("Description:\n\t  two more blanks\n\t# kept\n# gone\n", "  two more blanks\n# kept\n"),
        ('Description:\n\t"no end\nView:\n', '"no end\n'),
        ("Description:\n\tView:\n\t//a //b\n", "View:\n//a //b\n"),
        ("Description:\n", ""),
    ],
)
def test_a_description_field_is_parsed_into_its_text(lines: str, text: str) -> None:
    assert parse(CLIENT, HEAD + lines).get("Description") == text


def test_single_value_fields_are_parsed_without_comments() -> None:
    spec = parse(CLIENT, '\n# c\nclient:\t"a b" # c\nROOT: /a b "# c" # d\nLineEnd:\n\tUNIX\n')

    assert (spec.name, spec.get("Root"), spec.get("LineEnd")) == ("a b", '/a b "# c"', "unix")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("Client ws\n", ["Error detected at line 1.", "Syntax error in 'Client'."]),
        (HEAD + ": x\n", ["Error detected at line 3.", "Syntax error in ''."]),
        (HEAD + "View:", ["Error detected at line 3.", "Syntax error in ''."]),
        (HEAD + "View:\n//d //w\n", ["Error detected at line 4.", "Syntax error in '//d'."]),
        (HEAD + "View:\n:\n", ["Error detected at line 4.", "Syntax error in ''."]),
        (HEAD + "Description:\n\ta\n:\n", ["Error detected at line 5.", "Syntax error in ''."]),
        (HEAD + "Veiw:\n", ["Error detected at line 3.", "Unknown field name 'Veiw'."]),
        (
            HEAD + 'View:\n\t//a "//b\n\t//c //d\n',
            ["Error detected at line 4.", "No matching end quote in '//a \"//b'."],
        ),
        (
            HEAD + "View:\n\t//a //b\n\t//c\n",
            ["Error detected at line 5.", "Wrong number of words for field 'View'."],
        ),
        (
            HEAD + 'View:\n\t-"//a b" //c\n',
            ["Error detected at line 4.", "Wrong number of words for field 'View'."],
        ),
        (
            HEAD + "Owner: ann bob\n",
            ["Error detected at line 3.", "Wrong number of words for field 'Owner'."],
        ),
        (
            HEAD + "Owner:\n\tann\n\tbob\n",
            ["Error detected at line 5.", "Too many entries for field 'Owner'."],
        ),
        (
            HEAD + "LineEnd: dos\n",
            [
                "Error detected at line 3.",
                "Value for field 'LineEnd' must be one of local/unix/mac/win/share.",
            ],
        ),
        ("Client: ws\nRoot:\n", ["Missing required field 'Root'."]),
        ("", ["Missing required field 'Client'."]),
    ],
)
def test_an_invalid_form_text_is_refused_with_its_error_message(
    text: str, messages: list[str]
) -> None:
    assert refusal(CLIENT, text) == ["Error in client specification.", *messages]


def test_an_empty_triggers_field_differs_from_a_missing_one() -> None:
    assert "Triggers" in parse(TRIGGERS, "Triggers:\n").values
    assert "Triggers" not in parse(TRIGGERS, "").values


def test_a_trigger_line_without_exactly_four_words_is_refused() -> None:
    assert entries(TRIGGERS, 'Triggers:\n\tn t p "c %x%" ## gone\n', "Triggers") == [
        ('n t p "c %x%"',)
    ]
    assert refusal(TRIGGERS, "Triggers:\n\tn t p c %x%\n")[-1] == (
        "Wrong number of words for field 'Triggers'."
    )


def test_stream_paths_of_two_or_three_words_are_accepted() -> None:
    head = "Stream: //s/m\nName: m\nParent: none\nType: mainline\nParentView: inherit\n"

    assert parse(STREAM, head + "Paths:\n\tshare ...\n\timport lib/... //d/lib/...\n").lines(
        "Paths"
    ) == ["share ...", "import lib/... //d/lib/..."]


def test_a_formatted_form_has_fields_in_order_with_indented_lists() -> None:
    spec = parse(GROUP, "Users:\n\tann\n\tbob\nGroup: g\nDescription: one\n\n\tthree\n")

    assert format_form(spec, "# c\n") == (
        "# c\n\nGroup:\tg\n\nDescription:\n\tone\n\t\n\tthree\n\nSubgroups:\n\nOwners:\n\n"
        "Users:\n\tann\n\tbob\n"
    )


def test_the_header_of_a_form_contains_only_comments() -> None:
    lines = header(CLIENT).splitlines()

    assert lines
    assert all(line.startswith("#") for line in lines)


def test_tagged_client_output_numbers_view_lines_and_their_comments() -> None:
    spec = parse(CLIENT, HEAD + "View:\n\t//a //b ## why\n\t## alone\n")

    assert list(tagged(spec)) == [
        ("Client", "ws"),
        ("Root", "/r"),
        ("View0", "//a //b"),
        ("ViewComment0", "## why"),
        ("View1", ""),
        ("ViewComment1", "## alone"),
    ]


@given(clients())
def test_a_formatted_form_is_parsed_back_unchanged(spec: Spec) -> None:
    assert parse(CLIENT, format_form(spec, header(CLIENT))) == spec


@given(clients())
def test_p4python_parses_the_same_values_from_a_formatted_form(spec: Spec) -> None:
    vendor_values = P4().parse_client(format_form(spec.without("Description")))

    assert vendor_values["Client"] == quoted([spec.name])
    assert vendor_values["Root"] == spec.get("Root")
    assert [
        line.removesuffix(entry.comment).strip()
        for line, entry in zip(vendor_values["View"], spec.values["View"], strict=True)
    ] == [entry.text for entry in spec.values["View"]]
