"""Seeded generators of subscriptions and events, one file per paper: what did it measure on?"""
