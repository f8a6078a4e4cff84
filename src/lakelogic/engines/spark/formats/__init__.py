"""How Spark handles the tables of each format: a file for each."""
