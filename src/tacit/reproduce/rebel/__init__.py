"""ReBeL: its tables and figures beside ours."""
