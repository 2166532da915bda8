"""Fixtures for the tests of `p4warden-gate`, the program that p4d's trigger lines start."""

from gate.forms import beside
from gate.program import gate_home

__all__ = ["beside", "gate_home"]
