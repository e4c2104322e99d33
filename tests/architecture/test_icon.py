# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool's icon is the one that its script draws."""

from tooling.icon import FILE, icon, triangles


def test_the_icon_is_as_its_script_draws_it():
    assert FILE.read_bytes() == icon(), "Run: python -m tooling.icon"


def test_the_icon_has_blenders_format():
    assert icon().startswith(b"VCO\0\xff\xff\0\0")
    assert len(icon()) == 8 + len(triangles()) * (6 + 12)
