"""The store's migrations, in Alembic's layout, run by ``store.upgrade`` when a store is opened.

A revision that has been released is never edited: what it says is what stores out there went through. Files
named ``..._0001`` belong to that revision and are as frozen as it is; a change to a trigger or a view is a
new revision with its own text.
"""
