# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts' solving methods, one a file."""
