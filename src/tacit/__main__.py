"""`python -m tacit` is the command `tacit`."""

from tacit.entry import main

main()
