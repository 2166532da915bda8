"""Propose lines to write in place of refused ones: narrower views and shorter paths.

Pure. A rule imports a proposal only once it has a finding. Imports `forms` and `core`.
"""
