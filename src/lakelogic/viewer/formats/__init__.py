"""A file for each way to write a view."""
