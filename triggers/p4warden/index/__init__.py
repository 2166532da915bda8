"""Build and read the index of a checkpoint: numbers of files and revisions by path.

This package starts `p4warden-index`, a program written in Rust. Imports `core`.
"""
