# SPDX-License-Identifier: GPL-3.0-or-later
"""The error with which the add-on refuses: a sentence that names the item at fault and what to do."""


class Refused(Exception):
    """Something cannot be solved, baked or added; nothing has been changed.

    Attributes:
        sentence: for the user, complete.
        effector: name of the effector that it is about, or "".
    """

    def __init__(self, sentence: str, effector: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.effector = effector
