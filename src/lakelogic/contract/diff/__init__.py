"""A file for each family of changes between two versions of a contract."""
