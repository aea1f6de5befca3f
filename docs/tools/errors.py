"""The one error that the tools raise for something wrong in a text, a result or a source file."""


class DocsError(Exception):
    """Its text is one clear line; the code that catches it adds the file and the line."""
