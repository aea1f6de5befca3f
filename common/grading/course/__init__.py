"""Grades a class, on top of the core: submissions, rosters, sandbox, gradebooks, similarity. ./tutorial grade."""
