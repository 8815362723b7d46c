"""How strong a player is: exploitability of search, matches, local best response."""
