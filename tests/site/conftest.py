"""The built site, served on this machine, and a headless browser to look at it."""

import contextlib
import functools
import http.server
import json
import os
import shutil
import sys
import threading
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
LOAD_IMAGES = """() => Promise.all([...document.images].map(image => {
  image.loading = 'eager';
  return image.decode().catch(() => 0);
}))"""
NO_BROWSER = "no Chromium or Chrome was found: the pages of the site were NOT looked at"


def find_browser():
    """Path of an installed Chromium or Chrome; None without one."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    return found or (str(MAC) if MAC.exists() else None)


def required():
    """Whether a missing browser is a failure: in continuous integration it is."""
    return any(os.environ.get(name, "") not in ("", "0", "false") for name in ("REQUIRE_BROWSER", "CI"))


def site_of(config):
    """Folder of the site; refuses one that no build has completed."""
    folder = config.option.site
    if folder is None:
        raise pytest.UsageError("the site checks need --site: run 'make check-site'")
    if not (folder / "complete.json").exists():
        raise pytest.UsageError(f"{folder} holds no complete site: run 'make book'")
    return folder.resolve()


def pytest_generate_tests(metafunc):
    """Run a test with the argument ``page`` for every HTML file of the site."""
    if "page" in metafunc.fixturenames:
        site = site_of(metafunc.config)
        names = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
        redirects = {"index.html"}  # an empty page that leads to the first one
        pages = [name for name in names if name not in redirects and not name.startswith("_static/")]
        metafunc.parametrize("page", pages)


def pytest_terminal_summary(terminalreporter):
    """Say loudly that nobody has looked at the pages."""
    if find_browser() is None:
        terminalreporter.section("BROWSER CHECKS DID NOT RUN", sep="!", red=True)
        terminalreporter.line(NO_BROWSER)


@pytest.fixture(scope="session")
def site(request):
    return site_of(request.config)


@pytest.fixture(scope="session")
def chapters(site):
    """Names of the pages that the table of contents lists."""
    return json.loads((site / "complete.json").read_text("utf8"))["pages"]


class QuietServer(http.server.ThreadingHTTPServer):
    """Says nothing when the browser closes a page before all of it has arrived."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line on stderr for each."""

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def address(site):
    """Where the site is served."""
    handler = functools.partial(QuietHandler, directory=str(site))
    with QuietServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    executable = find_browser()
    if executable is None:
        (pytest.fail if required() else pytest.skip)(NO_BROWSER)
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=executable, args=QUIET)
        yield chromium
        chromium.close()


class Visit:
    """One open page and what went wrong while it was open."""

    def __init__(self, tab, address):
        self.tab, self.address, self.problems = tab, address, []
        tab.on("request", self.note_request)
        tab.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        tab.on("pageerror", lambda error: self.problems.append(error.stack or error.message))
        tab.on("response", lambda reply: reply.ok or self.problems.append(f"{reply.status} {reply.url}"))

    def note_request(self, request):
        """Anything that does not come from the served folder would need a network."""
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.problems.append(f"foreign request: {request.url}")

    def open(self, page):
        """Open a page, wait for its equations and images."""
        self.tab.goto(f"{self.address}/{page}", wait_until="load")
        self.tab.evaluate("async () => { if (window.MathJax) await MathJax.startup.promise; }")
        self.tab.evaluate(LOAD_IMAGES)


@pytest.fixture(scope="session")
def contexts(browser):
    """Browser profiles by width and theme, kept open because a filled cache halves the time of a visit."""
    opened = {}

    def context(width, theme):
        if (width, theme) not in opened:
            view = {"width": width, "height": 850}
            opened[width, theme] = browser.new_context(viewport=view, color_scheme=theme)
        return opened[width, theme]

    yield context
    for profile in opened.values():
        profile.close()


@pytest.fixture
def visit(contexts, address):
    """Open tabs of a given width and theme; closed after the test."""
    with contextlib.ExitStack() as stack:

        def opened(width=1280, theme="light"):
            tab = contexts(width, theme).new_page()
            stack.callback(tab.close)
            return Visit(tab, address)

        yield opened
