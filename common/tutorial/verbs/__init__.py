"""One module per verb: SUMMARY for the help, main(words) -> exit code."""
