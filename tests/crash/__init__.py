"""Crashes: commands that write are killed at random moments; nothing may break or stay behind."""
