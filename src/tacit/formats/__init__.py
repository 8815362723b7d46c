"""How tacit talks to the world: one module a format."""
