"""Parse the text of a spec form, its view lines and depot paths; measure path depths and lengths.

Pure functions, the same for every policy. Imports `core`.
"""
