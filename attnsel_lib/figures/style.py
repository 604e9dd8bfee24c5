"""One look for all figures of the book, readable on light and dark pages and on a phone."""

COLOURS = {
    "theory": "#1a1a1a",  # lines: what a statement predicts
    "measured": "#2b83c6",  # dots: what the computation gave
    "positive": "#c8501a",
    "negative": "#2b83c6",
    "bound": "#8e2f7f",
    "other": "#3a9a5f",
    "muted": "#7a7a7a",
}

WIDTH = 6.0  # inches
INK = COLOURS["theory"]

# The page shows WIDTH inches on the ~350 pixels of a phone's column: 12 pt becomes about 10 pixels there.
PARAMETERS = {
    "figure.figsize": (WIDTH, 3.6),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.transparent": True,
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 13,
    "axes.labelsize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": COLOURS["muted"],
    "grid.alpha": 0.25,
    "grid.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "text.color": INK,
    "font.size": 12,
    "font.family": "DejaVu Sans",  # shipped with Matplotlib, so the same on every machine
    "legend.fontsize": 12,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "lines.markersize": 5,
    "path.simplify": True,
}


def use_book_style():
    """Set Matplotlib, and IPython's inline figures, to the style of the book.

    Figures come out 6 inches wide, as PNG of twice the screen's resolution, dark ink on a transparent
    ground (the pages' style sheet inverts the lightness on dark pages), in colours that keep apart under the
    common colour-vision deficiencies. Outside IPython only Matplotlib's parameters change.
    """
    import matplotlib as mpl
    from cycler import cycler

    cycle = [COLOURS[name] for name in ("measured", "positive", "other", "bound", "muted")]
    mpl.rcParams.update(PARAMETERS)
    mpl.rcParams["axes.prop_cycle"] = cycler(color=cycle)
    _set_inline_format()


def _set_inline_format():
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        # Without metadata the file names Matplotlib's version. The tight box catches the labels that
        # constrained layout places before the last tick labels have their width.
        set_matplotlib_formats("retina", metadata={"Software": None}, bbox_inches="tight")
