"""What ./tutorial and grading both stand on: the repository, what is installed, build folders, long commands."""
