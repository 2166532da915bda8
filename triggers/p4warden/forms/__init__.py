"""Spec text into a form, and the view lines and depot paths in it: depths, lengths, shares.

Pure, and the same for every policy. Imports `core`.
"""
