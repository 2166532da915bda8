"""Try a policy before activating it: judge and explain events, cases and logs, and suggest limits.

Changes nothing. Imports `census`, `logs`, `table` and the rooms below them.
"""
