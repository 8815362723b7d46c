"""What the tests share: the slow reference, random games, and the way between them and trees."""
