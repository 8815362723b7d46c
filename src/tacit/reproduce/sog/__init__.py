"""Student of Games: its tables and figures beside ours."""
