"""The decisions of the log, counted, and shown on a terminal or as a page.

Imports `home` and `core`.
"""
