"""The program that p4d starts for a form or submit trigger: `launch`, then `main`.

No heavy imports, because every form save waits for this program. Imports `home`, `judge` and the
rooms below them.
"""
