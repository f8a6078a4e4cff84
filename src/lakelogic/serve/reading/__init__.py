"""What the API and the pages show, as frozen data: read from contracts, run log and tables without a JVM."""
