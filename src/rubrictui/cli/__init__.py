"""The command line: one module a command group, found by listing this package.

A group offers ``register(commands)``, which is cheap; what a command needs is imported when it runs.
Modules whose name begins with an underscore are shared by the groups.
"""
