"""Pages for people: rendered on the server, from what the project's files, run log and tables say."""
