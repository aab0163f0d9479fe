"""Serves the built site to this machine only. Standard library alone."""

import argparse
import errno
import posixpath
import sys
from collections.abc import Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

ADDRESS: Final = "127.0.0.1"
PORTS_TRIED: Final = 100


class Handler(SimpleHTTPRequestHandler):
    """Serves files with the types that a browser insists on, and the site's own 404 page."""

    # A server that calls a .wasm file anything else makes Pyodide wait without an error.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".md": "text/markdown; charset=utf-8",
        ".py": "text/x-python; charset=utf-8",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        """Have the browser ask again each time: the next build may differ."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a wrong address with the site's 404 page."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def list_directory(self, path: Any) -> None:  # noqa: ARG002
        """Answer a folder without a page as a published site does: there is nothing."""
        self.send_error(404)

    def log_request(self, code: Any = "-", size: Any = "-") -> None:  # noqa: ARG002
        """Say what could not be served, and nothing about the rest."""
        if str(code).startswith(("4", "5")):
            self.log_message("%s for %s", code, posixpath.normpath(self.path))


def bind(site: Path, first_port: int) -> ThreadingHTTPServer:
    """A server for a site on the next free port.

    Raises:
        OSError: None of the ports that were tried is free.
    """

    def handler(*arguments: Any) -> Handler:
        return Handler(*arguments, directory=str(site))

    for port in range(first_port, first_port + PORTS_TRIED):
        try:
            return ThreadingHTTPServer((ADDRESS, port), handler)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    raise OSError(errno.EADDRINUSE, f"ports {first_port} to {port} are all taken")


def free_port(site: Path, first_port: int) -> int:
    """The port that `serve` would take now: the build names it in the pages' install line."""
    with bind(site, first_port) as server:
        return int(server.server_port)


def serve(site: Path, first_port: int) -> int:
    """Serve until Ctrl-C, and return the exit code."""
    try:
        server = bind(site, first_port)
    except (OSError, OverflowError) as error:
        print(f"The site can't be served: {error}. Try another --port.", file=sys.stderr)
        return 1
    with server:
        print(f"Serving http://{ADDRESS}:{server.server_port}/  (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nEnded.")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a site that was built before."""
    parser = argparse.ArgumentParser(prog="faultlab_docs.serving", description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("site"), help="the built site (site)")
    parser.add_argument("--port", type=int, default=8000, help="the first port to try (8000)")
    options = parser.parse_args(arguments)
    return serve(options.site, options.port)


if __name__ == "__main__":
    sys.exit(main())
