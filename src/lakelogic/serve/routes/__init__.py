"""A file for each group of routes; each has a function `routes` that takes the project."""
