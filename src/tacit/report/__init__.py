"""What is shown of results: grids, tables and plots, for the command line and the web app."""
