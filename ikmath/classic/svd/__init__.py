# SPDX-License-Identifier: GPL-3.0-or-later
"""Exchangeable singular value decompositions."""
