"""What translate.py changes in CUDA C++, one kind of change per file."""
