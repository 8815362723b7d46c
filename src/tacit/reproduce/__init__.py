"""The tables and figures of the papers, beside ours: a room for each paper, one file a table."""
