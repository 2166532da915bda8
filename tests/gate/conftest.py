"""Fixtures of the gate's tests."""

from gate.program import gate_home
from gate.workers import beside

__all__ = ["beside", "gate_home"]
