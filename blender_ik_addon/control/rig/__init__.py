# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds, removes and moves effectors, pins and targets."""
