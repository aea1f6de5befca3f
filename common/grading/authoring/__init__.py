"""For authors of exercises: proves them, and connects graders with learners' functions."""
