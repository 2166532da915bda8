"""Judge a form or submit by a policy; modes and exemptions take effect in `engine.evaluate` only.

Pure functions: policy, event and facts in, outcome and refusal text out. Imports `policy`,
`rules`, `forms` and `core`.
"""
