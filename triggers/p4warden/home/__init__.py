"""Files of the home folder: running policy, facts, decision log, locks; read and replace them.

Has no access to the server.
"""
