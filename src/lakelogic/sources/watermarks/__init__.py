"""How what is new is told from what was read: a file for each `watermark_strategy`."""
