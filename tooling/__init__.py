# SPDX-License-Identifier: GPL-3.0-or-later
"""What build.py is made of: environments, the zip, test runs. Standard library only, never shipped."""
