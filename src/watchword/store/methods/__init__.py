"""The methods of `Store`, by the things that they are about: `Store` inherits from each class of this folder.

`base` has the engine, the clock and the names that all of them need. `subscriptions` and `inboxes` are what a store is
for; `entrances` are tokens, logins and sessions; `records` are the audit log and remembered answers. Each method
checks its arguments, looks names up, and gives its work one transaction; the SQL is in the files of `watchword.store`.
"""
