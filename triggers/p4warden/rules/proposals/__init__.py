"""Propose lines to write in place of refused ones: narrower views and shorter paths.

The modules are pure. A rule imports one only after its first finding. Imports `forms` and `core`.
"""
