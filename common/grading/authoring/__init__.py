"""For authors of exercises: proves exercises, and connects graders with learners' functions."""
