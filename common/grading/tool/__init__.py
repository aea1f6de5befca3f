"""Grades exercises: ./tutorial check, ./tutorial grade, and the proof of the exercises themselves."""
