"""A lakehouse to look at: its contracts, what flows between them, how they fared, and where columns come from."""
