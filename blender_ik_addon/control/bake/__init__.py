# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving frames into keyframes, recording and auto-keying."""
