# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags a bone with the mouse."""
