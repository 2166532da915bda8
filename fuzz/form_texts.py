from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random

DEPOTS = ("depot", "Depot", "game art", "thirdparty", "x", "überall", "a.b", "d%d")
NAMES = (
    "main",
    "rel 1",
    "Src",
    "a",
    "..b",
    "x%y",
    "%%",
    "é",
    "very-long-" * 9,
    "c++",
    "-x",
    "+",
    "…",
)
WILD = ("...", "*", "%%1", "*.c", "lib*", "....c", "%%1.h", "*x", "a%%2b")
FIELDS = {"client": "Client", "branch": "Branch", "label": "Label"}
FRAGMENTS = (
    *'" # \t \n \r\n \v \f - + & // ... * %%1 : \\ \x7f'.split(" "),
    *"View: View:\t Root: Stream: AltRoots: Description: Options: \nView:\n\t".split(" "),
    *"//depot/... //depot/main/... //ws/... \u00a0 \u2028 \udcff \ufeff".split(" "),
    " ",
    "\n\t",
    "\n# note\n",
    '"//depot/a b/..." "//ws/a b/..."\n',
)


class Line(NamedTuple):
    """A view line; `paths` are (depot, literal directories before the first wildcard).

    None if the depot has a wildcard. Paths without wildcard, which name one file, and exclusions
    are left out.
    """

    text: str
    paths: tuple[tuple[str, int] | None, ...]


def line(random: random.Random, form_type: str, name: str) -> Line:
    """Return a random view line that p4d can read, with the expected depth of its paths."""
    flag = random.choice(("", "", "", "", "+", "&", "-"))
    left, truth = _path(random)
    right, other = _path(random)
    client = f"//{name}/{left[2:].partition('/')[2]}"
    words = {"client": (left, client), "branch": (left, right), "label": (left,)}[form_type]
    quoted = random.random() < 0.2
    first, *rest = (_quoted(word, always=quoted) for word in words)
    # The quotation mark comes before the flag of a view line: `"-//depot/a b/..."`.
    first = f'"{flag}{first[1:]}' if first[0] == '"' else f"{flag}{first}"
    text = random.choice((" ", "\t", "   ", " \t ")).join((first, *rest))
    text += random.choice(("", "", "", " ", "\t# note", " #", ' # "open'))
    truths = (truth, other) if form_type == "branch" else (truth,)
    return Line(text, () if flag == "-" else tuple(t for t in truths if t != "file"))


def form(random: random.Random, form_type: str, name: str, lines: list[Line]) -> str:
    """Return the text of a form with the given view lines, among random other fields."""
    before = random.sample(
        [
            "Owner:\tann",
            "Root:\t/ws",
            "Description:\n\tView:\n\t//depot/... //ws/...",
            "# View:\n#\t//depot/...",
            "Options:\tnoallwrite unlocked",
            "Host:",
        ],
        random.randint(0, 3),
    )
    view = ["View:", *(f"\t{line.text}" for line in lines)]
    for place in range(len(view), 1, -1):
        if random.random() < 0.05:
            view.insert(place, random.choice(("", "# //depot/... //ws/...", "\t", "\t# note")))
    end = random.choice(("\n", "\n", "\r\n"))
    return end.join([f"{FIELDS[form_type]}:\t{name}", *before, *view, ""])


def mutated(random: random.Random, text: str) -> str:
    """Return a text with some random pieces removed, repeated or inserted."""
    for _ in range(random.randint(1, 4)):
        at, size = random.randrange(len(text) + 1), random.choice((0, 1, 1, 2, 8, 40))
        piece = random.choice(
            (random.choice(FRAGMENTS), "", text[at : at + size], chr(random.randrange(1, 256)))
        )
        text = text[:at] + piece + text[at + random.choice((0, size)) :]
    return text


def _path(random: random.Random) -> tuple[str, tuple[str, int] | str | None]:
    """Return a random depot path and the expected (depot, depth).

    Instead of the pair: None for a path over several depots, "file" for a path without wildcard.
    """
    depot, directories = (
        random.choice(DEPOTS),
        [random.choice(NAMES) for _ in range(random.choice((0, 0, 1, 1, 2, 3, 7)))],
    )
    kind = random.random()
    if kind < 0.05:
        wild = random.choice(("*", "d*", "...", "%%1", "x..."))
        return f"//{'/'.join([wild, *directories, '...'])}", None
    if kind < 0.15:
        return f"//{'/'.join([depot, *directories, 'file.c'])}", "file"
    tail = [random.choice(WILD)]
    if kind < 0.4 and tail[0] != "...":
        tail += [random.choice(NAMES), random.choice(("...", "*x", "file"))]
    if sum(map(tail.count, ("*x", "*"))) > 1:
        tail = tail[:1]
    return f"//{'/'.join([depot, *directories, *tail])}", (depot, len(directories))


def _quoted(word: str, *, always: bool) -> str:
    return f'"{word}"' if always or " " in word or "#" in word else word
