"""Serves a built site compressed, as a real host would: `python bench/serve_gzip.py site`.

Lighthouse rates what goes over the wire, and `http.server` compresses nothing.
"""

import argparse
import functools
import gzip
import io
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
from faultlab_docs.serving import ADDRESS, Handler

COMPRESSED: Final = (".html", ".css", ".js", ".mjs", ".json", ".svg", ".xml", ".txt", ".md", ".py")


class Compressed(Handler):
    """Serves text compressed with gzip to whoever accepts that."""

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() and self.path.endswith("/") else path
        accepts = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (accepts and path.is_file() and path.suffix in COMPRESSED):
            return super().send_head()
        body = gzip.compress(path.read_bytes(), compresslevel=9, mtime=0)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: the scores are the output."""


def serve(site: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server that listens, and has yet to be told to serve."""
    return ThreadingHTTPServer((ADDRESS, port), functools.partial(Compressed, directory=str(site)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    server = serve(options.site, options.port)
    print(f"http://{ADDRESS}:{server.server_port}/", flush=True)
    server.serve_forever()
