"""The files of an exercise: its parts, its notes, its blank; what their text is without comments."""
