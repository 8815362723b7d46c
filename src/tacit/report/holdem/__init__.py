"""What is shown of hold'em."""
