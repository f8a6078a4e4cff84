"""What a reviewer would say about a contract that is valid."""
