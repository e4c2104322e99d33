# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a solve ended where it ended: status, lower bounds of errors, and the cause in one sentence."""
