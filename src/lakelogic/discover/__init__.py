"""Starting from nothing but files: what is in a landing zone, and contracts for it."""
