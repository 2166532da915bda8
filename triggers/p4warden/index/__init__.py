"""The index of a checkpoint: numbers of files and revisions by path. Imports `core`.

`p4warden-index`, a program written in Rust, builds and reads it; this room starts the program.
"""
