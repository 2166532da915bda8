"""Audit report on a p4d server, from a checkpoint, its journals and p4d's logs."""
