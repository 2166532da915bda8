"""Writes the generated pages beside it: `make docs`."""
