"""A real browser for tests and pictures: found on this machine, kept off the network, and listened to.

Without one, tests that need it are skipped with a reason; with ALTSETS_BROWSER=required they fail instead.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Nothing that a browser does of its own accord: it only opens what it is given.
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: Milliseconds until what is waited for counts as missing.
PATIENCE = 60_000
#: The rule of axe-core that a dark page can break while the light one does not.
CONTRAST = "color-contrast"
#: Widths of a phone and of a laptop.
PHONE, LAPTOP = 390, 1280


def found():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def reason_without():
    """Why no browser can be used; None if one can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed; it comes with altsets[test]"
    return None if found() else f"none of {', '.join(NAMES)} is on the PATH; `make browser` installs one"


def need_browser():
    """Skip the test where there is no browser, or let it fail where there has to be one."""
    reason = reason_without()
    if reason is None:
        return
    if os.environ.get("ALTSETS_BROWSER") == "required":
        pytest.fail(f"A browser is required: {reason}.")
    pytest.skip(f"No browser: {reason}.")


@contextmanager
def started():
    """A browser without a window, and what closes it afterwards."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found(), args=list(ARGUMENTS))
        yield browser
        browser.close()


class Visit:
    """A page that was opened from disk, with all that it asked for and complained about.

    Attributes
    ----------
    page : playwright.sync_api.Page
        The page.
    trouble : list of str
        Requests that went elsewhere than to this file, errors of scripts, errors and warnings in the console.
    """

    def __init__(self, page, url):
        self.page = page
        self.trouble = []
        page.on("request", lambda request: self._asked(request.url, url))
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("console", self._heard)

    def _asked(self, asked, url):
        # A download is a request to the page itself.
        if asked.split("#")[0] != url and not asked.startswith("blob:"):
            self.trouble.append(f"request: {asked}")

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.trouble.append(f"console: {message.text}")


@contextmanager
def opened(browser, path, *, width=LAPTOP, height=900, dark=False, **options):
    """A file opened in a fresh context without a network; yields the Visit.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
        The browser.
    path : path-like
        The file.
    width, height : int
        The size of the window in pixels.
    dark : bool
        Whether the user likes dark pages.
    **options
        For the browser's context, such as ``java_script_enabled=False``.
    """
    url = Path(path).resolve().as_uri()
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        # Without transitions: the contrast of a colour that still fades says nothing.
        reduced_motion="reduce",
        offline=True,
        **options,
    )
    try:
        context.set_default_timeout(PATIENCE)
        visit = Visit(context.new_page(), url)
        visit.page.goto(url)
        yield visit
    finally:
        context.close()


def violations(page, *rules):
    """What axe-core finds wrong with a page, as sentences; by all of its rules, or by those that are named."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else None
    found = Axe().run(page, options=options).response["violations"]
    return [f"{rule['id']}: {rule['help']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]
