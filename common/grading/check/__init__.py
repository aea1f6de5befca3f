"""The core: finds the blank, puts it into the official file, builds, judges and shows. ./tutorial check."""
