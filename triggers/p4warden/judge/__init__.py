"""Judge a form or submit: `engine.evaluate`, the one place where modes and exemptions apply.

Pure: policy, event and facts in, outcome and refusal text out. Imports `policy`, `rules`, `forms`
and `core`.
"""
