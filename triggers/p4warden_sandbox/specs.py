from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.form_fields import Field, FieldRequirement, FieldType, FormDefinition
from p4warden_sandbox.form_reader import FormReader
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    ERROR_IN_SPEC,
    FIELD_BAD_VALUE,
    FIELD_MISSING,
    FIELD_TOO_MANY,
    FIELD_UNKNOWN,
    FIELD_WORDS,
    LINE_NUMBER,
)
from p4warden_sandbox.words import join_words, split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden_sandbox.form_reader import Value


class Entry(NamedTuple):
    """`comment` is the value's `##` comment; `text` may be empty."""

    text: str
    comment: str = ""


@dataclass(frozen=True)
class Spec:
    """`values` has the fields that are present, by the name in the form definition."""

    form: FormDefinition
    values: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)

    def get(self, name: str) -> str:
        entries = self.values.get(name, ())
        return entries[0].text if entries else ""

    def lines(self, name: str) -> list[str]:
        return [entry.text for entry in self.values.get(name, ()) if entry.text]

    @property
    def name(self) -> str:
        """For a table without a name, its form type."""
        return self.form.name if self.form.fields[0].is_list else self.get(self.form.key)

    def having(self, **fields: str | list[str]) -> Spec:
        """An empty value removes the field."""
        values = dict(self.values)
        for name, value in fields.items():
            lines = [value] if isinstance(value, str) else value
            if lines and lines != [""]:
                values[name] = tuple(Entry(line) for line in lines)
            else:
                values.pop(name, None)
        return replace(self, values=values)

    def or_else(self, **fields: str | list[str]) -> Spec:
        return self.having(**{k: v for k, v in fields.items() if not self.values.get(k)})

    def of(self, form: FormDefinition) -> Spec:
        return replace(self, form=form)

    def without(self, *names: str) -> Spec:
        remaining = {name: entries for name, entries in self.values.items() if name not in names}
        return replace(self, values=remaining)


def parse(form: FormDefinition, text: str) -> Spec:
    """Parse a form; a CommandError names its type and, unless a field is missing, the line."""
    reader = FormReader(text)
    try:
        spec = Spec(form, _fields(form, reader))
    except CommandError as error:
        line = str(reader.line)
        raise error.under(LINE_NUMBER, line=line).under(ERROR_IN_SPEC, domain=form.name) from None
    for definition in form.fields:
        if (
            definition.need in {FieldRequirement.REQUIRED, FieldRequirement.KEY}
            and definition.name not in spec.values
        ):
            missing = CommandError(FIELD_MISSING, field=definition.name)
            raise missing.under(ERROR_IN_SPEC, domain=form.name)
    return spec


def _fields(form: FormDefinition, reader: FormReader) -> dict[str, tuple[Entry, ...]]:
    values: dict[str, list[Entry]] = {}
    while (tag := reader.tag()) is not None:
        definition = form.field(tag)
        if definition is None:
            raise CommandError(FIELD_UNKNOWN, field=tag)
        entries = values.setdefault(definition.name, [])
        _read_field(reader, definition, entries)
        if not entries and definition.need is not FieldRequirement.MAY_BE_EMPTY:
            del values[definition.name]
    return {name: tuple(entries) for name, entries in values.items()}


def _read_field(reader: FormReader, definition: Field, entries: list[Entry]) -> None:
    if definition.kind is FieldType.TEXT:
        if text := reader.block():
            _add(definition, entries, text)
        return
    while (value := reader.value()) is not None:
        if value.is_comment:
            _add_comment(definition, entries, value)
        else:
            _add(definition, entries, value.text)


def _add(definition: Field, entries: list[Entry], text: str) -> None:
    if entries and not definition.is_list:
        raise CommandError(FIELD_TOO_MANY, field=definition.name)
    entries.append(Entry(_checked(definition, text)))


def _add_comment(definition: Field, entries: list[Entry], comment: Value) -> None:
    if not definition.keeps_comments:
        return
    if comment.is_on_own_line or not entries:
        entries.append(Entry("", comment.text))
    else:
        entries[-1] = entries[-1]._replace(comment=comment.text)


def _checked(definition: Field, text: str) -> str:
    """Return a value as the server stores it (P4API source support/specdata.cc, SetLine)."""
    if definition.kind is FieldType.SELECT and definition.values:
        return _selected(definition, text)
    if not definition.has_words:
        return text
    words = split_words(text)
    if not definition.words <= len(words) <= (definition.max_words or definition.words):
        raise CommandError(FIELD_WORDS, field=definition.name)
    return join_words(words) if definition.is_list else words[0]


def _selected(definition: Field, text: str) -> str:
    for value in definition.values.split("/"):
        if value.lower() == text.lower():
            return value
    raise CommandError(FIELD_BAD_VALUE, field=definition.name, text=definition.values)


def format_form(spec: Spec, header: str = "") -> str:
    """Return form text, its fields in order of definition, after the comment `header`."""
    parts = [header] if header else []
    for definition in spec.form.fields:
        entries = spec.values.get(definition.name, ())
        if entries or definition.need in {
            FieldRequirement.SHOWN_EMPTY,
            FieldRequirement.MAY_BE_EMPTY,
        }:
            parts.append(_formatted(definition, entries))
    return "\n".join(parts)


def _formatted(definition: Field, entries: tuple[Entry, ...]) -> str:
    if definition.is_list:
        return f"{definition.name}:\n" + "".join(
            f"\t{_with_comment(entry)}\n" for entry in entries
        )
    if definition.kind is FieldType.TEXT:
        lines = entries[0].text.removesuffix("\n").split("\n")
        return f"{definition.name}:\n" + "".join(f"\t{line}\n" for line in lines)
    return f"{definition.name}:\t{_entry_text(definition, entries[0])}\n"


def _entry_text(definition: Field, entry: Entry) -> str:
    return join_words([entry.text]) if definition.kind is FieldType.WORD else entry.text


def _with_comment(entry: Entry) -> str:
    return "\t".join(part for part in entry if part)


def header(form: FormDefinition) -> str:
    """Return the comment at the start of a form that `-o` or an editor shows."""
    fields = "".join(f"#  {definition.name}\n" for definition in form.fields)
    title = form.name.capitalize()
    return (
        f"# A Perforce {title} Specification.\n#\n{fields}#\n# Written by the p4warden sandbox.\n"
    )


def tagged(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield a spec's fields as names and values of the sandbox's tagged output (`View0`)."""
    for definition in spec.form.fields:
        for index, entry in enumerate(spec.values.get(definition.name, ())):
            number = str(index) if definition.is_list else ""
            yield f"{definition.name}{number}", _entry_text(definition, entry)
            if entry.comment:
                yield f"{definition.name}Comment{number}", entry.comment
