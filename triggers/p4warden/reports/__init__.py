"""Reports on the decision log, for terminals and programs, and HTML pages of all reports.

Imports `home` and `core`; pages also show records of `history` and `logs`.
"""
