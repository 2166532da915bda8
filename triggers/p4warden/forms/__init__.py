"""Parse spec text into a form, and its view lines and depot paths: depths, lengths, shares.

Pure, and the same for every policy. Imports `core`.
"""
