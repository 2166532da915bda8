"""Audit of a server from checkpoints and logs: expensive, unused and unlimited objects."""
