# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding, removing and moving effectors, pins and targets."""
