"""The decisions and the health of p4warden, as numbers for Prometheus.

Imports `reports`, `home` and the rooms below them.
"""
