"""The reference is complete: each public name of the simulator and the kernel has its address."""

from pathlib import Path
from types import ModuleType

import pytest

from faultlab import dst, kernel

NAMES = [
    (module, page, name)
    for module, page in ((dst, "api-simulation"), (kernel, "api"))
    for name in module.__all__
]


@pytest.mark.parametrize(
    ("module", "page", "name"), NAMES, ids=[f"{m.__name__}.{name}" for m, _, name in NAMES]
)
def test_a_public_name_has_an_entry(module: ModuleType, page: str, name: str, site: Path) -> None:
    html = (site / "look-up" / page / "index.html").read_text("utf-8")
    # A function that is named as its module is documented where it is defined.
    addresses = {f"{module.__name__}.{name}", f"{module.__name__}.{name}.{name}"}
    assert [address for address in addresses if f'id="{address}"' in html]


def test_every_row_of_the_worlds_table_is_on_the_page(site: Path) -> None:
    html = (site / "understand" / "determinism" / "index.html").read_text("utf-8")
    shown = html.replace("<wbr>", "")
    assert len(kernel.OUTSIDE) > 100
    for row in kernel.OUTSIDE:
        assert row.call in shown, row.call
