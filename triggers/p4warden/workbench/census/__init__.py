"""Existing specs, of a server or a checkpoint, judged as if saved again unchanged."""
