"""Programs of others, run with limits, two at a time where one judges the other."""
