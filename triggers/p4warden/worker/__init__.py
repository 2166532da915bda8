"""The Python program that judges form and submit triggers: `launch` starts, `main` decides.

It has no heavy imports, because every form save waits for it. Imports `home`, `judge` and the
packages below them.
"""
