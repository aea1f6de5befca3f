"""Other people's programs, run with limits; two at a time if one judges the other."""
