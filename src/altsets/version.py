"""The version, for everything that writes files or pages."""

__version__ = "0.1.0"
