"""One module a verb: SUMMARY for the help, main(words) -> exit code."""
