"""Metrics of p4warden's decisions and health, for Prometheus.

Imports `reports`, `home` and the packages that these may import.
"""
