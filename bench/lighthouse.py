"""Lighthouse's four scores for pages of a built site, phone profile, served compressed.

    python bench/lighthouse.py site "" try/failure-lab/ understand/what-remains/

Needs Node with npx (which fetches lighthouse 12.2.3) and a Chromium; CHROME_PATH names another.
The performance score moves with the machine's load: run it on an idle one, and more than once
(`--runs 3` takes the median). `--failed` names the audits that cost points.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_gzip import ADDRESS, serve

LIGHTHOUSE: Final = "lighthouse@12.2.3"
CATEGORIES: Final = ("performance", "accessibility", "best-practices", "seo")
CHROME: Final = "--headless --no-sandbox --disable-gpu --no-first-run --disable-sync"


def main() -> int:
    """Print a line a page, and return 1 if a score is below the project's bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="+", help="addresses below the site's root")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--failed", action="store_true")
    options = parser.parse_args()
    server = serve(options.site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{'page':<32}" + "".join(f"{name:<16}" for name in CATEGORIES) + "transferred")
    below = False
    for page in options.pages:
        url = f"http://{ADDRESS}:{server.server_port}/{page}"
        reports = [run(url) for _ in range(options.runs)]
        scores = [median(reports, name) for name in CATEGORIES]
        sent = reports[0]["audits"]["total-byte-weight"]["numericValue"] / 1000
        line = f"{page or '(home)':<32}" + "".join(f"{score:<16.2f}" for score in scores)
        print(f"{line}{sent:.0f} kB", flush=True)
        below |= scores[0] < 0.98 or min(scores[1:]) < 1
        if options.failed:
            print_failed(reports[0])
    server.shutdown()
    return int(below)


def median(reports: list[dict[str, Any]], category: str) -> float:
    """The middle score of a category over some reports."""
    return statistics.median(report["categories"][category]["score"] or 0 for report in reports)


def run(url: str) -> dict[str, Any]:
    """One report of Lighthouse about one address."""
    chrome = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), "")
    command = ["npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json", "--output-path=stdout"]
    command += [f"--chrome-flags={CHROME}", f"--only-categories={','.join(CATEGORIES)}"]
    environment = {"CHROME_PATH": chrome, **os.environ}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"Lighthouse did not run: {done.stderr.strip()[-2000:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def print_failed(report: dict[str, Any]) -> None:
    """The audits that cost points, each with what Lighthouse says of it."""
    for category in CATEGORIES:
        for reference in report["categories"][category]["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if reference["weight"] and audit["score"] is not None and audit["score"] < 1:
                said = audit.get("displayValue", "")
                print(f"    {category}: {audit['title']} {said} ({audit['score']:.2f})")


if __name__ == "__main__":
    sys.exit(main())
