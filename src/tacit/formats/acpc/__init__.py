"""The Annual Computer Poker Competition's protocol: game definitions, match states, logs, client.

Amounts are totals over the whole hand, as in `tacit.games.holdem.betting`. Position 0 is the big
blind. The reference is the University of Alberta's dealer, version 2.0.0 of the protocol.
"""
