"""Figures keep their colours apart, are readable on both themes, and come out the same every time."""

import io
import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from attnsel_lib.figures import COLOURS, use_book_style

LIGHT, DARK = np.ones(3), np.array(to_rgb("#121212"))
# Machado, Oliveira, Fernandes (2009), full severity, on linear RGB.
VISION = {
    "usual": np.eye(3),
    "no red cones": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "no green cones": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(rgb):
    rgb = np.asarray(rgb)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    high, low = sorted((TO_XYZ[1] @ linear(one), TO_XYZ[1] @ linear(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def inverted(rgb):
    """What `filter: invert(0.92) hue-rotate(180deg)` of the style sheet makes of a colour."""
    rotation = 2 * np.outer(np.ones(3), [0.213, 0.715, 0.072]) - np.eye(3)
    return np.clip(rotation @ (0.92 - 0.84 * np.asarray(rgb)), 0, 1)


def lab(rgb, vision):
    xyz = TO_XYZ @ np.clip(np.asarray(VISION[vision]) @ linear(rgb), 0, 1) / (TO_XYZ @ np.ones(3))
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.fixture
def styled():
    with mpl.rc_context():
        use_book_style()
        yield
    plt.close("all")


@pytest.mark.parametrize("name", COLOURS)
def test_colour_stands_out_on_light_and_dark_pages(name):
    rgb = to_rgb(COLOURS[name])
    assert contrast(rgb, LIGHT) > 3  # WCAG 2.1, 1.4.11: graphical objects
    assert contrast(inverted(rgb), DARK) > 3


@pytest.mark.parametrize("vision", VISION)
def test_colours_keep_apart(vision):
    for one, other in itertools.combinations(sorted(set(COLOURS.values())), 2):
        distance = np.linalg.norm(lab(to_rgb(one), vision) - lab(to_rgb(other), vision))
        assert distance > 15, (one, other)  # a just noticeable difference is about 2.3


def draw():
    figure, axes = plt.subplots()
    axes.plot([1, 2, 3], label="a line")
    axes.set(xlabel="$t$", ylabel="value")
    axes.legend()
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=100, metadata={"Software": None})
    return stream.getvalue()


@pytest.mark.usefixtures("styled")
def test_figure_is_transparent_and_the_same_every_time():
    assert draw() == draw()
    pixels = plt.imread(io.BytesIO(draw()))
    assert pixels[0, 0, 3] == 0
    assert pixels.shape[1] == 600


@pytest.mark.usefixtures("styled")
def test_text_is_readable_on_a_phone():
    width = 350  # pixels left of 390 by the page's margins
    for key in ("font.size", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"):
        points = mpl.rcParams[key]
        pixels = points / 72 * width / mpl.rcParams["figure.figsize"][0]
        assert pixels > 9.5, key
