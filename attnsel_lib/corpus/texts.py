"""Labelled texts and where they came from."""

from dataclasses import dataclass

import numpy as np

from . import checks


@dataclass(frozen=True)
class Origin:
    """Provenance of a set of labelled texts.

    name, split : str, what was asked for
    location : str, where it was found, without the folders of this machine
    rows : int;  positive : int, rows with label +1
    sha256 : str, digest of the file the texts were read from
    licence : str, what is known of the terms of use
    """

    name: str
    split: str
    location: str
    rows: int
    positive: int
    sha256: str
    licence: str

    def __str__(self):
        """One line for a page."""
        return (
            f"{self.name} ({self.split}): {self.rows:,} texts, {self.positive:,} positive, "
            f"from {self.location}, sha256 {self.sha256[:8]}"
        )


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts with labels, in the order of their source, which is often sorted by label.

    texts : tuple of n str
    labels : (n,) int in {-1, +1}
    origin : Origin, of the whole source, also after `take` and `split`
    """

    texts: tuple[str, ...]
    labels: np.ndarray
    origin: Origin

    def __len__(self):
        return len(self.texts)

    def __repr__(self):
        return (
            f"LabelledTexts({len(self)} of {self.origin.rows} texts, {self.origin.name} {self.origin.split})"
        )

    def take(self, rows):
        """Keep the texts of some rows, in the order given.

        Parameters
        ----------
        rows : (m,) int indices, or (n,) boolean mask

        Raises
        ------
        ValueError, TypeError
            If nothing is selected or an index is out of range.
        """
        rows = checks.row_indices(rows, len(self))
        return LabelledTexts(tuple(self.texts[i] for i in rows), self.labels[rows], self.origin)

    def split(self, first, rng):
        """Shuffle and cut in two.

        Parameters
        ----------
        first : int, texts of the first part, 1 <= first < n
        rng : numpy.random.Generator

        Returns
        -------
        (LabelledTexts, LabelledTexts)

        Raises
        ------
        ValueError
            If a part would be empty.
        """
        if not 1 <= first < len(self):
            raise ValueError(f"first must be between 1 and {len(self) - 1}, got {first}")
        order = rng.permutation(len(self))
        return self.take(order[:first]), self.take(order[first:])
