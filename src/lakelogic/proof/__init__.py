"""Proof of a run: what it read, what it wrote, and that both still agree with what is stored."""
