"""Judge forms and submits by a policy: outcome and refusal text, from policy, event and facts.

The functions read and write no files.
"""
