"""RL-CFR: bet sizes chosen by learning (Li, Fang and Huang 2024)."""
