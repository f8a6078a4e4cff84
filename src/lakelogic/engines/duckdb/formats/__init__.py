"""How the light engines handle the tables of each format: a file for each."""
