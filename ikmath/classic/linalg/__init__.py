# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra of the texts' methods. Arrays in, arrays out."""
