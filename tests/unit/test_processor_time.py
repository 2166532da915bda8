"""Tests of the limit on a worker's processor time for judging a form: excess is a finding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.core.effort import OutOfTimeError
from p4warden.policy import compiled
from p4warden.worker import arguments, places
from p4warden.worker.main import judge
from p4warden.worker.processor_time import BUSY, FREE_NS, LIMIT_NS, TICK_NS, TOO_LARGE, Allowance
from support.triggers import line_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW_NS = 1_800_000_000 * 10**9


class FakeProcessorClock:
    """Fake clock of processor time, advanced by the simulated work of judging a form."""

    def __init__(self) -> None:
        self.spent_ns = 7
        self._tick: Callable[[], None] | None = None

    def interrupt(self, processor_ns: int, call: Callable[[], None] | None) -> None:
        assert processor_ns == TICK_NS
        self._tick = call

    def work(self, processor_ns: int) -> str:
        end_ns = self.spent_ns + processor_ns
        while self.spent_ns < end_ns:
            self.spent_ns += TICK_NS
            if self._tick:
                self._tick()
        return "done"


class FakePlaces:
    """Fake of worker/places.py, which limits concurrent workers; counts how often it is asked."""

    def __init__(self, *, free: bool) -> None:
        self._free_count = free
        self.calls = 0

    def has(self) -> bool:
        self.calls += 1
        return self._free_count


def allowed(
    processor: FakeProcessorClock, free: FakePlaces, *, is_late: bool = False
) -> Allowance:
    clock = lambda: processor.spent_ns  # noqa: E731
    return Allowance(free.has, lambda: is_late, clock, processor.interrupt)


@pytest.mark.parametrize("is_late", [False, True])
def test_work_within_the_free_time_requests_no_worker_place(*, is_late: bool) -> None:
    processor, free = FakeProcessorClock(), FakePlaces(free=False)
    allowance = allowed(processor, free, is_late=is_late)
    assert allowance.within(lambda: processor.work(FREE_NS)) == "done"
    assert free.calls == 0


def test_work_beyond_the_free_time_requests_a_worker_place_once() -> None:
    processor, free = FakeProcessorClock(), FakePlaces(free=True)
    allowance = allowed(processor, free)
    assert allowance.within(lambda: processor.work(LIMIT_NS)) == "done"
    assert free.calls == 1


def test_a_worker_place_taken_in_advance_is_not_requested_again() -> None:
    processor, free = FakeProcessorClock(), FakePlaces(free=True)
    allowance = allowed(processor, free)
    allowance.wait()
    assert allowance.within(lambda: processor.work(LIMIT_NS)) == "done"
    assert free.calls == 1


@pytest.mark.parametrize(
    ("free", "is_late", "work_ns", "problem"),
    [
        (True, False, LIMIT_NS + TICK_NS, TOO_LARGE),
        (False, False, FREE_NS + TICK_NS, BUSY),
        (True, True, FREE_NS + TICK_NS, BUSY),
    ],
)
def test_work_beyond_the_limit_or_without_a_worker_place_is_interrupted(
    *, free: bool, is_late: bool, work_ns: int, problem: str
) -> None:
    processor = FakeProcessorClock()
    allowance = allowed(processor, FakePlaces(free=free), is_late=is_late)
    with pytest.raises(OutOfTimeError) as error:
        allowance.within(lambda: processor.work(work_ns))
    assert str(error.value) == problem
    # After the method `within` has returned, its limit on processor time no longer applies:
    # further work is not interrupted, however long it takes.
    assert processor.work(LIMIT_NS) == "done"


def test_the_process_timer_interrupts_an_endless_loop() -> None:
    def loop() -> None:
        while True:
            pass

    with pytest.raises(OutOfTimeError):
        Allowance(lambda: False, lambda: False).within(loop)


class FakeClock:
    """Fake clock in seconds that advances only when its own `sleep` is called."""

    now_s = 100.0

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def test_a_missing_worker_place_is_waited_for_until_the_deadline(tmp_path: Path) -> None:
    clock = FakeClock()

    def has_place() -> bool:
        return places.take(str(tmp_path), 2, 102.5, lambda: clock.now_s, clock.sleep)

    assert [has_place(), has_place()] == [True, True]
    assert clock.now_s == 100.0
    assert not has_place()
    assert 102.5 <= clock.now_s < 103


def test_a_missing_folder_for_lock_files_gives_a_worker_place_at_once(tmp_path: Path) -> None:
    assert places.take(str(tmp_path / "missing"), 2, 0.0)


def home(folder: Path, mode: str, **fields: Any) -> Path:
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": mode}
    document = {"contact": "admins", "on_error": "allow", "rules": [rule], **fields}
    text = compiled.dumps(compiled.compile_policy(document, "d" * 64))
    place = folder / "home"
    place.mkdir(mode=0o700)
    for name, content in ((compiled.FILE_NAME, text), ("facts.json", "{}")):
        (place / name).write_text(content)
        (place / name).chmod(0o600)
    return place


EXEMPT = {"users": ["ann"], "reason": "because", "owner": "x"}


@pytest.mark.parametrize(
    ("mode", "fields", "verdict"),
    [
        ("enforce", {}, "refuse"),
        ("observe", {}, "observe"),
        ("enforce", {"exemptions": [EXEMPT]}, "allow"),
    ],
)
@pytest.mark.parametrize("filling", ["", "# " + "x" * 300_000 + "\n"])
def test_a_form_that_exceeds_the_processor_time_is_judged_by_mode_and_exemptions(
    tmp_path: Path, mode: str, fields: dict[str, Any], verdict: str, filling: str
) -> None:
    place, form = home(tmp_path, mode, **fields), tmp_path / "form"
    form.write_text(f"{filling}Client:\tws\nView:\n\t//depot/main/... //ws/...\n")
    options = [f"--home={place}", "--type=client", f"--form={form}", "--user=ann"]
    words = line_words("form-save", *options)

    def interrupted(_: int, call: Callable[[], None] | None) -> None:
        if call:
            call()

    # Readings of the processor clock: 0 at the start of the work, then always beyond the time
    # limit.
    times = iter([0])
    allowance = Allowance(
        lambda: False, lambda: False, lambda: next(times, LIMIT_NS + 1), interrupted
    )
    answer = judge(arguments.parse(words), NOW_NS, allowance)

    (record,) = map(json.loads, (place / "decisions.jsonl").read_text().splitlines())
    assert (answer.is_refused, record["verdict"]) == (verdict == "refuse", verdict)
    assert "fault" not in record
    if verdict != "allow":
        problem = BUSY if filling else TOO_LARGE
        assert problem in record["detail"]
