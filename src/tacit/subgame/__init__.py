"""Blueprints, and subgames solved again: gadget methods, nested solving, translation."""
