"""Valid policies and a rule of p4warden for tests that test no particular rule."""

POLICY = """\
version: 1
contact: admins
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce, forms: [client]}
"""

OBSERVED = POLICY.replace("mode: enforce", "mode: observe")

POLLING = """\
  - name: fstat-polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits: [{per: [user], allow: 1 per 1h}]
"""
"""A rule `limit_command_rate` for fstat, as YAML to append to a policy."""
