"""Propose lines to write in forms in place of wide or long ones: narrower views, shorter paths."""
