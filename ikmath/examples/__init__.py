# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures and scenes of the texts, and helpers to draw them."""
