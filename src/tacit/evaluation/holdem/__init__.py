"""Measuring players of hold'em: matches, AIVAT, local best response."""
