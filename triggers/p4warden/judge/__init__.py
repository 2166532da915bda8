"""The verdict on a form or submit: `engine.evaluate`, where alone modes and exemptions act.

Pure: policy, event and facts in, outcome and refusal text out. Imports `policy`, `rules`, `forms`
and `core`.
"""
