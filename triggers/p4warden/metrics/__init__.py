"""Numbers about p4warden's decisions and health, for Prometheus.

Imports `reports`, `home` and the rooms below them.
"""
