# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a refusal: one sentence that names the item at fault and the remedy."""


class Refused(Exception):
    """Something cannot be solved, baked or added; nothing has been changed.

    Attributes:
        sentence: complete message for the user.
        effector: name of the effector at fault, or "".
    """

    def __init__(self, sentence: str, effector: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.effector = effector
