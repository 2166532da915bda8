"""The index of a checkpoint: how many files and revisions lie where. Imports `core`.

`p4warden-index`, a program written in Rust, makes and reads it; this room starts the program.
"""
