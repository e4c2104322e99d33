# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes frames into keyframes, records drags, and inserts keys automatically."""
