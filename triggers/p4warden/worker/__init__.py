"""The Python program that judges form and submit triggers: `launch` starts, `main` decides.

It avoids slow imports, because the user's command waits for it.
"""
