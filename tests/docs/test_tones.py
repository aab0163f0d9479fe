"""Every tone of the style sheet can be read on every ground that it stands on."""

from __future__ import annotations

import re
from typing import Final

import pytest

from faultlab_docs.places import DOCS

SHEET: Final = (DOCS / "assets" / "faultlab.css").read_text(encoding="utf-8")
TONES: Final = {
    found[1]: found.groups()[1:]
    for found in re.finditer(r"--fl-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", SHEET)
}
TEXT: Final = ("ink", "soft", "link", "asked", "reached", "happened", "known")


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_the_guidelines_define_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") < 4.5 < contrast("#767676", "#ffffff")


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "sunk"])
@pytest.mark.parametrize("tone", TEXT)
def test_a_tone_of_text_has_the_contrast_of_text(tone: str, ground: str, scheme: int) -> None:
    assert contrast(TONES[tone][scheme], TONES[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_a_lane_has_the_contrast_of_a_mark(scheme: int) -> None:
    assert contrast(TONES["line"][scheme], TONES["paper"][scheme]) >= 3


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_four_tones_are_not_the_colour_of_a_link(scheme: int) -> None:
    four = {TONES[name][scheme] for name in TEXT[3:]}
    assert len(four) == 4
    assert TONES["link"][scheme] not in four
