# SPDX-License-Identifier: GPL-3.0-or-later
"""One solve of the default method (`hierarchical`): which ways are tried, and how each is walked.

`descent` chooses between ways and `walk` takes one; `picture` is the linear problem of a step, and `guard`
keeps it out of obstacles; `relaxing` goes on to the posture.
"""
