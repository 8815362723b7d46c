"""The compiled loops over a tree, and the buffers that they read and write."""
