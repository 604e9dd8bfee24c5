"""Library of the companion to "Attention with Trained Embeddings Provably Selects Important Tokens".

One room per subject: ``attention`` (model, one step, flow, margin), ``corpus`` (token counts, data
sources) and ``figures`` (book style). Heavy packages are imported by the functions that need them.
"""

__version__ = "0.1.0"
