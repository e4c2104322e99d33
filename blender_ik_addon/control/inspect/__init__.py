# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures figures without solving."""
