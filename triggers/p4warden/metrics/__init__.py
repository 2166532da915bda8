"""What p4warden decided and how it is, as numbers for Prometheus.

Imports `reports`, `home` and the rooms below them.
"""
