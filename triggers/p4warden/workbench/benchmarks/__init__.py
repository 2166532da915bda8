"""The papers' benchmarks, on a test server: what commands cost there, and what the others wait."""
