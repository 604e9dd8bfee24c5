"""Every page as a reader sees it: on a desk and on a phone, light and dark, without a network."""

import pytest

WIDTHS = {"desktop": 1280, "phone": 390}
THEMES = ("light", "dark")

# Text a reader sees that looks like TeX. MathJax's own class marks text where a dollar is a dollar.
RAW_TEX = r"""() => {
  const skip = 'pre, code, script, style, noscript, mjx-container, .mathjax_ignore, .tex2jax_ignore';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (/\$|\\\(|\\\[|\\begin\{/.test(node.textContent) && !parent.closest(skip) && parent.checkVisibility())
      found.push(node.textContent.trim().slice(0, 80));
  }
  return found;
}"""
EQUATIONS = """() => ({
  written: document.querySelectorAll('.math').length,
  drawn: document.querySelectorAll('.math mjx-container').length,
  wrong: [...document.querySelectorAll('mjx-merror, [data-mjx-error]')].map(e => e.textContent),
})"""
IMAGES = """() => [...document.images].map(i => ({
  src: i.src,
  alt: i.alt,
  width: i.naturalWidth,
  stretch: i.width / i.height / (i.naturalWidth / i.naturalHeight),
  filter: getComputedStyle(i).filter,
  cell: !!i.closest('.cell_output, figure'),
}))"""
TOO_WIDE = """() => {
  const limit = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= limit) return [];
  const scrolls = e => e && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
  return [...document.querySelectorAll('body *')].filter(e =>
      e.scrollWidth + e.getBoundingClientRect().left > limit && !scrolls(e))
    .map(e => `${e.tagName} ${e.className} ${e.scrollWidth}`).slice(-5);
}"""
BRIGHTNESS = """() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""


def check_images(images, theme):
    for image in images:
        assert image["width"] > 0, f"{image['src']} does not load"
        assert abs(image["stretch"] - 1) < 0.02, f"{image['src']} is drawn out of proportion"
        assert image["alt"].strip(), f"{image['src']} has no alternative text"
        assert not image["alt"].endswith((".png", ".svg")), f"{image['src']} has a file name as alt"
        if image["cell"] and image["src"].endswith(".png"):
            assert (image["filter"] != "none") is (theme == "dark"), f"{image['src']}: wrong filter"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("device", WIDTHS)
def test_page(page, device, theme, visit, request):
    seen = visit(WIDTHS[device], theme)
    seen.open(page)
    tab = seen.tab
    if folder := request.config.option.screenshots:
        name = page.removesuffix(".html").replace("/", "-")
        tab.screenshot(path=folder / f"{name}-{device}-{theme}.png", full_page=True)

    assert tab.evaluate(RAW_TEX) == []
    equations = tab.evaluate(EQUATIONS)
    assert equations["wrong"] == []
    assert equations["drawn"] >= equations["written"]
    check_images(tab.evaluate(IMAGES), theme)
    assert tab.evaluate(TOO_WIDE) == []
    assert tab.get_attribute("html", "data-theme") == theme
    assert (tab.evaluate(BRIGHTNESS) > 0.5) is (theme == "light")
    assert seen.problems == []


def test_front_door_leads_to_the_first_page(visit):
    seen = visit()
    seen.tab.goto(f"{seen.address}/index.html")
    seen.tab.wait_for_url("**/intro.html")


def test_search_finds_a_word_of_the_book(visit):
    seen = visit()
    seen.open("search.html?q=attention")
    seen.tab.wait_for_selector("#search-results li a")
    assert seen.tab.locator("#search-results li a").count() > 0
    assert seen.problems == []


def test_theme_can_be_switched(visit):
    seen = visit(width=1000)  # a width of its own: the choice is remembered in the browser's profile
    seen.open("intro.html")
    shown = set()
    for _ in range(3):  # light, dark, and what the system says
        seen.tab.click("button.theme-switch-button:visible")
        shown.add(seen.tab.get_attribute("html", "data-theme"))
    assert shown == {"light", "dark"}
    assert seen.problems == []
