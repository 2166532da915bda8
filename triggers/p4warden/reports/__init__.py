"""Reports on the decision log, on a terminal or as a page.

Imports `home` and `core`.
"""
