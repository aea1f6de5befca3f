"""The one error that the tool raises for something wrong in a file or in what was asked for."""


class GradingError(Exception):
    """Its text is one clear line: what is wrong, and what is allowed."""


class NotWritten(GradingError):
    """A file, or the output, that cannot be written any more."""
