"""The tables and figures of the papers, beside ours: one file a table."""
