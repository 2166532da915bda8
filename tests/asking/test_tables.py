from __future__ import annotations

import json
from importlib import resources

from p4warden.asking import gate_program


def test_the_file_of_names_and_numbers_is_the_gates() -> None:
    text = (resources.files("p4warden.asking") / "tables.json").read_text("utf-8")
    assert json.loads(text) == gate_program.answer("tables"), "run make docs"
