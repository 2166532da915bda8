"""The program that p4d starts for a form or submit trigger: `launch`, then `main`.

Light: no heavy import, for every form save waits for it. Imports `home`, `judge` and the rooms
below them.
"""
