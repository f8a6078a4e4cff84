"""Geometry of the pictures on the pages: where things stand, as data; templates draw them."""
