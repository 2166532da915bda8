"""Subcommands of `p4warden`: they read options, call other packages, and print.

May import any package of p4warden; no other package imports this one.
"""
