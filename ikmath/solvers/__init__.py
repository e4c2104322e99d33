# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver, the interface of all methods, and their registry."""
