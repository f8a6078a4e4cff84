"""Quarantine and what becomes of its rows: looked at, replayed, released or dropped."""
