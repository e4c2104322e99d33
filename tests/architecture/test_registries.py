# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on knows of the library's registries without loading it is what they say."""

from tooling.registries import FILE, registries


def test_the_menus_are_those_of_the_library():
    assert FILE.read_text(encoding="utf-8") == registries(), "Run: python -m tooling.registries"
