# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solve or a bake reports."""
