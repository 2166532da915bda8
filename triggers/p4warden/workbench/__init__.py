"""Studies of checkpoints, logs and running commands.

Nothing that p4d starts, or that governs it, imports from here.
"""
