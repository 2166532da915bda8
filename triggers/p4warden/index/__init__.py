"""Build, update and read the index of a checkpoint, such as numbers of files by path.

This package starts `p4warden-index`, a program written in Rust.
"""
