"""What ./tutorial does: builds what is needed, then runs, tests, measures, explains or grades."""
