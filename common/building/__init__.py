"""What ./tutorial and grading share: the repository, what is installed, build folders, long commands."""
