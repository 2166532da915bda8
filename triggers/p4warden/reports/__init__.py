"""What the decision log says, counted, and shown on a terminal or as a page.

Imports `home` and `core`.
"""
