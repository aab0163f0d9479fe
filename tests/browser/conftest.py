"""A browser, the built site, and a visit that forbids every request to anyone else."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from faultlab_docs.serving import ADDRESS, Handler

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

ROOT: Final = Path(__file__).resolve().parents[2]
NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SUB_PATH: Final = "/somewhere/else/"
CHROMIUM: Final = next(filter(None, map(shutil.which, NAMES)), None)
REQUIRED: Final = os.environ.get("FAULTLAB_REQUIRE_BROWSER") == "1"


def missing() -> str:
    """What these tests lack here, or an empty string."""
    if CHROMIUM is None:
        return "no Chromium found: install chromium to run the browser tests"
    if importlib.util.find_spec("playwright") is None:
        return "no playwright found: install the dependency group 'browser' to run these tests"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if missing() and not REQUIRED:
                item.add_marker(pytest.mark.skip(reason=missing()))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if missing():
        pytest.fail(missing(), pytrace=False)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: the one that FAULTLAB_SITE names, or one built for these tests."""
    if given := os.environ.get("FAULTLAB_SITE"):
        return Path(given).resolve()
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        pytest.fail(f"the site does not build:\n{built.stderr}", pytrace=False)
    return folder


class _AlsoBelow(Handler):
    """Serves the site twice: at the root, and below a path, as project pages are."""

    def translate_path(self, path: str) -> str:
        return super().translate_path(f"/{path.removeprefix(SUB_PATH)}")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: a test says itself what it misses."""


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    """The address of a server of the site, without a slash at its end."""
    from http.server import ThreadingHTTPServer

    server = ThreadingHTTPServer((ADDRESS, 0), functools.partial(_AlsoBelow, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://{ADDRESS}:{server.server_port}"
    _stop(server, thread)


def _stop(server: ThreadingHTTPServer, thread: threading.Thread) -> None:
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Visitor:
    """Opens pages of the site, and keeps what they asked of others and what went wrong.

    Attributes:
        requests: Every address that was asked for.
        outside: Those of them that are not this site's.
        errors: Errors in the console, in scripts, and answers that say no.
        tolerated: A word that marks errors which a test provokes on purpose.
    """

    browser: Browser
    origin: str
    requests: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tolerated: str = ""
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(self, path: str = "", **options: Any) -> Page:
        page = self.blank(**options)
        page.goto(f"{self.origin}/{path}", wait_until="load")
        return page

    def blank(self, **options: Any) -> Page:
        """A page of a context of its own that has not been anywhere."""
        context = self.browser.new_context(**options)
        context.set_default_timeout(5_000)
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("console", self._on_console)
        context.on("weberror", lambda e: self._fault(str(e.error)))
        self._contexts.append(context)
        return context.new_page()

    def _on_request(self, request: Request) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.outside.append(request.url)

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self._fault(f"{response.status} {response.url}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._fault(f"{message.text} ({message.location.get('url')})")

    def _fault(self, text: str) -> None:
        if not self.tolerated or self.tolerated not in text:
            self.errors.append(text)

    def close(self) -> None:
        """Close every page."""
        for context in self._contexts:
            context.close()


@pytest.fixture
def visit(browser: Browser, origin: str) -> Iterator[Visitor]:
    """Opens pages; fails the test if one asks anybody else, or reports an error."""
    visitor = Visitor(browser, origin)
    yield visitor
    visitor.close()
    assert visitor.outside == []
    assert visitor.errors == []


@pytest.fixture(scope="session")
def addresses(site: Path) -> list[str]:
    """Every page that the sitemap names, relative to the site's root, and the 404 page."""
    listed = re.findall(r"<loc>https?://[^/]+/(.*?)</loc>", (site / "sitemap.xml").read_text())
    return [*listed, "404.html"]


@pytest.fixture(scope="module")
def opened(address: str, browser: Browser, origin: str) -> Iterator[tuple[Page, Visitor]]:
    """One page, opened once for all tests of a module, scrolled to its end and at rest."""
    visitor = Visitor(browser, origin)
    page = visitor(address)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    page.evaluate("scrollTo(0, 0)")
    yield page, visitor
    visitor.close()


@pytest.fixture(scope="session")
def sources() -> dict[str, str]:
    """The text of every page of the checkout by its address."""
    return pages_of_the_checkout()


def pages_of_the_checkout() -> dict[str, str]:
    """The text of every page by its address, relative to the site's root."""
    docs = ROOT / "docs"
    texts = {}
    for path in sorted(docs.rglob("*.md")):
        place = path.relative_to(docs).as_posix().removesuffix(".md").removesuffix("index")
        address = place if not place or place.endswith("/") else f"{place}/"
        texts[address] = path.read_text(encoding="utf-8")
    return texts


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a page. A test of its own holds this list and the sitemap together."""
    texts = pages_of_the_checkout()
    for name, pages in (
        ("address", [*texts, "404.html"]),
        ("page_with_snippets", [page for page, text in texts.items() if "--8<--" in text]),
    ):
        if name in metafunc.fixturenames:
            ids = [page or "home" for page in pages]
            metafunc.parametrize(name, pages, ids=ids, scope="module")
