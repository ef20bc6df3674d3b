"""What may events and rules of predicates say? A schema: event types, and attributes that are typed or enumerated.

`option` brings what a user writes into one form, `attribute` says what one attribute takes, `schema` checks
subscriptions; `events` checks objects, `columns` Arrow columns.
"""
