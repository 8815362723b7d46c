"""What is measured, and beside whom: one file a measurement."""
