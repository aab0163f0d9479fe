"""Every address in the built site leads to a file of the site, fragments included."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

BASE = "https://site.test/"


class Addresses(HTMLParser):
    """Collects what a page points to, and the ids that others may point to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name in ("href", "src") and value and tag != "base":
                self.found.append(value)


def read(path: Path) -> Addresses:
    parser = Addresses()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def target(site: Path, address: str) -> Path:
    path = site / unquote(urlsplit(address).path).lstrip("/")
    return path / "index.html" if path.is_dir() else path


def broken(site: Path) -> list[str]:
    """Addresses of the site's own that lead nowhere, each with the page that holds it."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    wrong = []
    for path, page in pages.items():
        here = BASE + path.relative_to(site).as_posix().removesuffix("index.html")
        for found in page.found:
            address = urljoin(here, found)
            if not address.startswith(BASE):
                continue
            there, fragment = target(site, address), urlsplit(address).fragment
            if not there.is_file():
                wrong.append(f"{here}: {found}")
            elif there in pages and fragment and unquote(fragment) not in pages[there].ids:
                wrong.append(f"{here}: {found} (no such id)")
    return wrong


def test_every_address_in_the_built_site_leads_somewhere(site: Path) -> None:
    assert broken(site) == []


@pytest.mark.parametrize("mistake", ["nowhere.html", "index.html#nobody"])
def test_an_address_that_leads_nowhere_is_found(mistake: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f'<p id="me"><a href="{mistake}">x</a></p>')
    assert len(broken(tmp_path)) == 1


def test_links_in_the_markdown_twins_lead_somewhere(site: Path) -> None:
    wrong = [
        f"{twin.relative_to(site)}: {address}"
        for twin in site.rglob("*.md")
        for address in re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", twin.read_text("utf-8"))
        if not (twin.parent / address).exists()
    ]
    assert wrong == []
