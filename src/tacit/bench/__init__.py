"""What is measured, and beside whom."""
