"""What the gate's tests share."""

from gate.program import gate_home

__all__ = ["gate_home"]
