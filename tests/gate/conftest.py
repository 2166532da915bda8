"""Fixtures for the tests of the gate, the program that answers p4d's triggers."""

from gate.program import gate_home
from gate.workers import beside

__all__ = ["beside", "gate_home"]
