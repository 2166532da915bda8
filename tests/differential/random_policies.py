"""Random policies with rules about forms and submits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from differential import random_views

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Settings = Callable[[random.Random], dict[str, Any]]

PATTERNS = ("ann", "a*", "*", "?ob", "dev", "Build*", "ws", "*-ws", "é*", "???", "x", "svc", "_")
DAYS = ("2026-01-01", "2027-01-15", "2030-12-31")
WORDS = (
    *("allwrite", "noallwrite", "clobber", "noclobber", "compress", "nocompress", "locked"),
    *("unlocked", "modtime", "nomodtime", "rmdir", "normdir", "altsync", "noaltsync"),
)
SUBMIT_OPTIONS = ("submitunchanged", "revertunchanged+reopen", "leaveunchanged")
LINE_ENDS = ("local", "unix", "win", "share")
CLIENT_TYPES = ("writeable", "readonly", "graph", "partitioned", "partitioned-jnl")
DEPOT_TYPES = ("local", "stream", "remote", "spec", "graph", "archive")
DEPOTS = ("depot", "Depot", "thirdparty", "überall", "ÜBERALL", "a.b", "x")
ADVICE = (
    "Ask in #builds.",
    "See the wiki:\nhttps://wiki.example.com/p4\nor ask.",
    "Größe beachten: " + "größer " * 60,
    "日本語の助言" * 40,
)


def policy(random: random.Random) -> dict[str, Any]:
    """Return a policy with two to six rules, of any mode, and up to three exemptions."""
    kinds = random.choices(tuple(KINDS), k=random.choice((2, 3, 4, 6)))
    document: dict[str, Any] = {
        "version": 1,
        "contact": random.choice(("admins", "Jörg <j@example.com>", "管理者" * 20)),
        "rules": [_rule(random, f"rule-{number}", kind) for number, kind in enumerate(kinds)],
        "exemptions": [_exemption(random) for _ in range(random.choice((0, 0, 0, 1, 3)))],
    }
    if random.random() < 0.5:
        document["help_url"] = "https://wiki.example.com/p4-policy"
    return document


def _rule(random: random.Random, name: str, kind: str) -> dict[str, Any]:
    mode = random.choice(("enforce",) * 6 + ("observe", "observe", "off"))
    rule = {"name": name, "rule": kind, "mode": mode, **KINDS[kind](random)}
    if mode == "enforce" and random.random() < 0.2:
        rule["canary"] = _some(random, users=_patterns(random), groups=_patterns(random))
    if random.random() < 0.3:
        rule["baseline"] = True
        rule |= _some(random, baseline_until=random.choice(DAYS))
    if random.random() < 0.2:
        rule["advice"] = random.choice(ADVICE)
    return rule


def _exemption(random: random.Random) -> dict[str, Any]:
    return {"reason": random.choice(("r", "größer")), "owner": "ann"} | _some(
        random,
        users=_patterns(random),
        groups=_patterns(random),
        clients=_patterns(random),
        programs=_patterns(random),
        rules=random.sample(("rule-0", "rule-1", "rule-2"), 2),
        until=random.choice(DAYS),
    )


def _some(random: random.Random, **entries: Any) -> dict[str, Any]:
    return {name: value for name, value in entries.items() if random.random() < 0.3}


def _patterns(random: random.Random) -> list[str]:
    return random.sample(PATTERNS, random.choice((1, 2, 3)))


def _depot_count(random: random.Random) -> dict[str, Any]:
    types = random.sample(DEPOT_TYPES, random.choice((0, 1, 3)))
    return {"max": random.randint(1, 6)} | _some(
        random,
        max_by_type={name: random.randint(0, 3) for name in types},
        warn_from=random.randint(1, 7),
    )


def _top_directories(random: random.Random) -> dict[str, Any]:
    depots = random.sample(DEPOTS, random.choice((0, 1, 3)))
    return {"max": random.choice((1, 3, 6, 5000))} | _some(
        random,
        depots={name: random.choice((1, 4, 1500)) for name in depots},
        warn_from=random.choice((1, 3, 2000)),
    )


def _demands(random: random.Random) -> dict[str, Any]:
    return {"demands": _wishes(random)}


def _proposals(random: random.Random) -> dict[str, Any]:
    return {"wishes": _wishes(random)}


def _wishes(random: random.Random) -> list[dict[str, Any]]:
    return [
        _some(
            random,
            groups=_patterns(random),
            hosts=["build-*", "*"][: random.choice((1, 2))],
            ips=[random.choice(("10.0.0.*", "10.*", "*.1", "x"))],
        )
        | {"line_end": random.choice(LINE_ENDS)}
        | _some(
            random,
            options=random.sample(WORDS, random.choice((1, 2, 4))),
            submit_options=random.choice(SUBMIT_OPTIONS),
            type=random.choice(CLIENT_TYPES),
        )
        for _ in range(random.choice((1, 1, 2, 3)))
    ]


KINDS: dict[str, Settings] = {
    "limit_depot_count": _depot_count,
    "limit_top_directories": _top_directories,
    "require_client_options": _demands,
    "suggest_client_options": _proposals,
    **random_views.KINDS,
}
