"""Whether a contract means the same on every engine: rows made to hurt, run everywhere, compared cell by cell."""
