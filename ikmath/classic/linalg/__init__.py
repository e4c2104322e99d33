# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra of the classic methods. Arrays in, arrays out."""
