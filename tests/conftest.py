"""Settings for all tests of the library."""

from hypothesis import settings

# The first example of a property pays for lazy imports and compiled patterns, and machines differ in
# speed: the default limit of 200 ms per example would fail a test that is run alone or on a busy machine.
settings.register_profile("companion", deadline=None)
settings.load_profile("companion")
