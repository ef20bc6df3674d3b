"""Pattern subscriptions: literals with the wildcards `?` and `*`, found anywhere in a text."""
