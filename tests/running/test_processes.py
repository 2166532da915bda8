from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core import shipped_yaml
from p4warden.core.monitor_counters import Counter
from p4warden.metrics.exposition import render
from p4warden.workbench.running import shown
from p4warden.workbench.running.processes import Process, by_age, process

ROWS = Path(__file__).parents[1] / "cases" / "monitor" / "rows.yaml"
CASES = shipped_yaml.load(ROWS.read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_a_documented_row_becomes_a_process(case: dict[str, Any]) -> None:
    expected = None if case["process"] is None else Process(**case["process"])
    assert process(case["row"]) == expected


@given(st.dictionaries(st.sampled_from(["id", "status", "user", "time", "command"]), st.text()))
def test_any_row_is_read_without_an_error(row: dict[str, str]) -> None:
    one = process(row)
    assert one is None or (one.age_s is None or one.age_s >= 0)


PROCESSES = [one for case in CASES if (one := process(case["row"]))]


def test_processes_at_work_come_first_and_the_oldest_of_them() -> None:
    assert [one.number for one in by_age(PROCESSES)][:3] == [1014510, 4620, 99]
    assert by_age(PROCESSES)[-1].command == "IDLE"


def test_metrics_count_states_and_commands_and_name_nobody() -> None:
    text = render(shown.families(PROCESSES, {"rtv.db.lockwait": Counter(3, 382)}), {})
    assert 'p4warden_running_processes{state="running"} 3' in text
    assert 'p4warden_running_processes{state="idle"} 1' in text
    assert 'p4warden_running_commands{command="sync"} 1' in text
    assert "IDLE" not in text
    assert "p4warden_running_oldest_seconds 829684" in text
    assert 'p4warden_running_counter{name="rtv.db.lockwait"} 3' in text
    assert "ann" not in text


def test_the_lines_above_the_table_say_how_many_wait_for_locks() -> None:
    lines = list(shown.facts("ssl:p4:1666", PROCESSES, {"rtv.db.lockwait": Counter(3, 382)}))
    assert lines == [
        "ssl:p4:1666: 3 running, 1 ending, 1 paused, 1 background, 1 finishing, 1 idle",
        "3 wait for a lock on a table, at most 382 so far",
    ]
    assert json.loads(json.dumps(shown.document(PROCESSES, {})))["processes"][0]["user"] == (
        "svc_p4d_edge_fra"
    )
