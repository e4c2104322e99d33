# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures built as other tools write them, with their helpers, and creatures that nobody had in mind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from standing_figures import Rows

Place = tuple[float, float, float]


def _row(rows: Rows, parent: str | None, names: str, *places: Place) -> None:
    """Bones one after another, each from one place to the next."""
    for name, head, tail in zip(names.split(), places[:-1], places[1:], strict=True):
        rows.append((name, parent, head, tail))
        parent = name


def _fingers(rows: Rows, hand: str, side: float, names: tuple[str, ...]) -> None:
    for number, finger in enumerate(names):
        y = -0.03 + 0.02 * number
        places = [(side * (0.82 + 0.035 * k), y, 1.43 - 0.002 * k * k) for k in range(4)]
        _row(rows, hand, " ".join(f"{finger}{k}" for k in (1, 2, 3)), *places)


def unreal() -> Rows:
    """Unreal's mannequin: a root on the ground, bones for twist, hands that inverse kinematics reads."""
    rows: Rows = [("root", None, (0, 0, 0), (0, 0.2, 0))]
    _row(
        rows, "root", "pelvis spine_01 spine_02 spine_03 neck_01 head",
        (0, 0.01, 0.96), (0, 0, 1.07), (0, 0.02, 1.26), (0, 0.03, 1.4), (0, 0.02, 1.5), (0, 0, 1.6),
        (0, 0, 1.8),
    )  # fmt: skip
    for side, s in (("l", 1.0), ("r", -1.0)):
        _row(
            rows, "spine_03", f"clavicle_{side} upperarm_{side} lowerarm_{side} hand_{side}",
            (0.04 * s, 0, 1.47), (0.19 * s, 0.02, 1.45), (0.48 * s, 0.03, 1.45), (0.74 * s, 0, 1.44),
            (0.83 * s, 0, 1.43),
        )  # fmt: skip
        for part, head, tail in (
            ("upperarm", (0.26 * s, 0.02, 1.45), (0.36 * s, 0.025, 1.45)),
            ("lowerarm", (0.62 * s, 0.015, 1.445), (0.74 * s, 0, 1.44)),
        ):
            rows.append((f"{part}_twist_01_{side}", f"{part}_{side}", head, tail))
        _fingers(
            rows, f"hand_{side}", s, tuple(f"{finger}_{side}_0" for finger in ("index", "middle", "pinky"))
        )
        _row(
            rows, "pelvis", f"thigh_{side} calf_{side} foot_{side} ball_{side}",
            (0.1 * s, 0, 0.95), (0.12 * s, -0.01, 0.52), (0.13 * s, 0.04, 0.09), (0.13 * s, -0.1, 0.02),
            (0.13 * s, -0.17, 0.02),
        )  # fmt: skip
        for part, head in (("thigh", (0.11 * s, 0, 0.75)), ("calf", (0.125 * s, 0.01, 0.35))):
            rows.append((f"{part}_twist_01_{side}", f"{part}_{side}", head, (*head[:2], head[2] - 0.1)))
        # helpers that correct the skin, in rows of their own
        _row(
            rows,
            f"calf_{side}",
            f"kneecap_{side} kneecap_end_{side}",
            (0.12 * s, -0.01, 0.52),
            (0.12 * s, -0.05, 0.5),
            (0.12 * s, -0.08, 0.5),
        )
    for part in ("foot", "hand"):
        rows.append((f"ik_{part}_root", "root", (0, 0, 0), (0, 0.1, 0)))
        for side, x in (("l", 0.13), ("r", -0.13)):
            rows.append((f"ik_{part}_{side}", f"ik_{part}_root", (x, 0.04, 0.09), (x, 0.04, 0.19)))
    return rows


def capture() -> Rows:
    """A skeleton as in the CMU's clips: joints without length at the hips, and T-pose arms."""
    rows: Rows = []
    _row(
        rows, None, "Hips LowerBack Spine Spine1 Neck Neck1 Head",
        (0, 0, 0.95), (0, 0.001, 0.951), (0, 0.01, 1.07), (0, 0.015, 1.19), (0, 0.02, 1.4), (0, 0, 1.46),
        (0, 0.02, 1.54), (0, 0.02, 1.66),
    )  # fmt: skip
    for side, s in (("Left", 1.0), ("Right", -1.0)):
        _row(
            rows, "Hips", f"{side}HipJoint {side}UpLeg {side}Leg {side}Foot {side}ToeBase",
            (0, 0, 0.95), (0.08 * s, 0.02, 0.88), (0.22 * s, 0.02, 0.48), (0.36 * s, 0.02, 0.09),
            (0.36 * s, -0.12, 0.03), (0.36 * s, -0.19, 0.03),
        )  # fmt: skip
        _row(
            rows, "Spine1",
            " ".join(
                f"{side}{part}" for part in ("Shoulder", "Arm", "ForeArm", "Hand", "FingerBase", "Index1")
            ),
            (0, 0.015, 1.35), (0.17 * s, 0, 1.4), (0.44 * s, 0, 1.4), (0.65 * s, 0, 1.4), (0.68 * s, 0, 1.4),
            (0.72 * s, 0, 1.4), (0.8 * s, 0, 1.4),
        )  # fmt: skip
        rows.append((f"{side}Thumb", f"{side}Hand", (0.65 * s, 0, 1.4), (0.7 * s, -0.05, 1.4)))
    return rows


def makehuman() -> Rows:
    """MakeHuman's default figure: two bones in each part of a limb, not in line; eyebrows of long bones."""
    rows: Rows = []
    _row(
        rows, None, "root spine05 spine03 spine01 neck01 head",
        (0, 0, 0.95), (0, 0, 1.0), (0, 0.01, 1.15), (0, 0.02, 1.3), (0, 0.01, 1.48), (0, -0.02, 1.6),
        (0, -0.02, 1.8),
    )  # fmt: skip
    for side, s in (("L", 1.0), ("R", -1.0)):
        _row(
            rows, "root",
            " ".join(f"{part}.{side}" for part in (
                "pelvis", "upperleg01", "upperleg02", "lowerleg01", "lowerleg02", "foot", "toe1-1",
            )),
            (0, 0, 0.97), (0.1 * s, 0.01, 0.93), (0.12 * s, 0.012, 0.83), (0.13 * s, -0.03, 0.51),
            (0.137 * s, -0.012, 0.325), (0.15 * s, 0.02, 0.13), (0.16 * s, -0.1, 0.04),
            (0.16 * s, -0.16, 0.03),
        )  # fmt: skip
        _row(
            rows, "spine01",
            " ".join(f"{part}.{side}" for part in (
                "clavicle", "shoulder01", "upperarm01", "upperarm02", "lowerarm01", "lowerarm02", "wrist",
            )),
            (0.03 * s, 0, 1.45), (0.12 * s, 0.01, 1.47), (0.185 * s, 0.01, 1.44), (0.235 * s, 0.012, 1.385),
            (0.345 * s, 0.01, 1.28), (0.41 * s, -0.055, 1.215), (0.47 * s, -0.125, 1.155),
            (0.485 * s, -0.145, 1.13),
        )  # fmt: skip

        def hand(along: float, thumbwards: float, palmwards: float = 0.0, s: float = s) -> Place:
            ahead, across, palm = (0.45, -0.6, -0.66), (-0.45, -0.75, 0.38), (-0.72, 0.13, -0.61)
            start = (0.47, -0.125, 1.155)
            x, y, z = (
                o + along * f + thumbwards * a + palmwards * p
                for o, f, a, p in zip(start, ahead, across, palm, strict=True)
            )
            return s * x, y, z

        _row(
            rows, f"wrist.{side}", " ".join(f"finger1-{k}.{side}" for k in (1, 2, 3)),
            hand(0.02, 0.025), hand(0.05, 0.055, 0.01), hand(0.08, 0.07, 0.015), hand(0.105, 0.075, 0.02),
        )  # fmt: skip
        for number, aside in ((2, 0.03), (3, 0.01), (4, -0.01), (5, -0.03)):
            names = [f"metacarpal{number - 1}", *(f"finger{number}-{k}" for k in (1, 2, 3))]
            _row(
                rows, f"wrist.{side}", " ".join(f"{name}.{side}" for name in names),
                hand(0.02, 0.5 * aside), hand(0.09, aside), hand(0.12, aside, 0.008),
                hand(0.145, aside, 0.018), hand(0.165, aside, 0.03),
            )  # fmt: skip
        _row(
            rows, "head", f"special06.{side} special05.{side} eye.{side}",
            (0, -0.02, 1.72), (0.02 * s, -0.12, 1.71), (0.03 * s, -0.13, 1.61), (0.03 * s, -0.16, 1.61),
        )  # fmt: skip
    return rows


def anime() -> Rows:
    """A figure of VRM with a skirt, pigtails and large ears, in a T-pose."""
    rows: Rows = []
    _row(
        rows, None, "hips spine chest upperChest neck head",
        (0, 0, 0.9), (0, 0, 0.97), (0, 0, 1.07), (0, 0, 1.17), (0, 0, 1.28), (0, 0, 1.35), (0, 0, 1.6),
    )  # fmt: skip
    for side, s in (("L", 1.0), ("R", -1.0)):
        _row(
            rows, "upperChest", f"{side}_Shoulder {side}_UpperArm {side}_LowerArm {side}_Hand",
            (0.02 * s, 0, 1.24), (0.1 * s, 0, 1.24), (0.31 * s, 0, 1.24), (0.52 * s, 0, 1.24),
            (0.6 * s, 0, 1.24),
        )  # fmt: skip
        _row(
            rows, "hips", f"{side}_UpperLeg {side}_LowerLeg {side}_Foot {side}_Toe",
            (0.08 * s, 0, 0.87), (0.08 * s, 0.005, 0.48), (0.08 * s, 0.02, 0.08), (0.08 * s, -0.1, 0.01),
            (0.08 * s, -0.16, 0.01),
        )  # fmt: skip
        _row(
            rows,
            "head",
            f"ear1{side} ear2{side}",
            (0.05 * s, 0, 1.55),
            (0.07 * s, 0, 1.6),
            (0.08 * s, 0, 1.65),
        )
        places = [(0.1 * s + 0.01 * s * k, 0.08, 1.5 - 0.1 * k + 0.01 * k * k) for k in range(7)]
        _row(rows, "head", " ".join(f"hair{k}{side}" for k in range(6)), *places)
    for number in range(8):
        x, y = cos(2 * pi * number / 8), sin(2 * pi * number / 8)
        places = [((0.1 + 0.03 * k) * x, (0.1 + 0.03 * k) * y, 0.88 - 0.06 * k) for k in range(4)]
        _row(rows, "hips", " ".join(f"skirt{number}_{k}" for k in range(3)), *places)
    return rows


def twisting() -> Rows:
    """Deforming bones as Rigify gives them to games: each half of a limb is two bones in one line."""
    rows: Rows = []
    _row(rows, None, "hips spine chest head", (0, 0, 1), (0, 0, 1.2), (0, 0, 1.4), (0, 0, 1.6), (0, 0, 1.8))
    for side, s in (("L", 1.0), ("R", -1.0)):
        leg = [(0.1 * s, 0, 0.95), (0.1 * s, -0.02, 0.51), (0.1 * s, 0.03, 0.09)]
        arm = [(0.2 * s, 0, 1.45), (0.44 * s, 0.03, 1.3), (0.65 * s, 0, 1.15)]
        for parent, names, (a, b, c), ends in (
            (
                "hips",
                "thigh thigh2 shin shin2 foot toe",
                leg,
                [(0.1 * s, -0.11, 0.02), (0.1 * s, -0.18, 0.02)],
            ),
            ("chest", "arm arm2 forearm forearm2 hand", arm, [(0.72 * s, -0.01, 1.1)]),
        ):
            places = [a, _between(a, b), b, _between(b, c), c, *ends]
            _row(rows, parent, " ".join(f"{name}.{side}" for name in names.split()), *places)
    return rows


def _between(a: Place, b: Place) -> Place:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2


def creator() -> Rows:
    """As Character Creator's: beside each long bone two for its twist, and one where it bends.

    The file says where joints are; bones get their ends, halfway, from all that hangs from them.
    """
    rows: Rows = []
    _row(
        rows, None, "BoneRoot Hip Waist Spine01 Spine02 NeckTwist01 NeckTwist02 Head",
        (0, 0, 0), (0, 0, 1.04), (0, -0.02, 1.12), (0, -0.03, 1.18), (0, -0.01, 1.32), (0, 0, 1.58),
        (0, -0.01, 1.62), (0, -0.02, 1.67), (0, -0.02, 1.75),
    )  # fmt: skip
    rows.append(("Pelvis", "Hip", (0, 0, 1.04), (0, 0, 1.02)))
    for side, s in (("L", 1.0), ("R", -1.0)):
        leg = [(0.1 * s, -0.02, 1.03), (0.09 * s, -0.03, 0.56), (0.09 * s, 0.02, 0.09)]
        arm = [(0.15 * s, 0, 1.53), (0.4 * s, 0.01, 1.51), (0.65 * s, -0.02, 1.5)]
        rows.append((f"Clavicle_{side}", "Spine02", (0.02 * s, -0.01, 1.52), arm[0]))
        for parent, names, (a, b, c), bent, tip in (
            ("Pelvis", ("Thigh", "Calf", "Foot"), leg, "Knee", (0.09 * s, -0.11, 0.03)),
            (f"Clavicle_{side}", ("Upperarm", "Forearm", "Hand"), arm, "Elbow", (0.75 * s, -0.03, 1.5)),
        ):
            upper, lower, end = (f"{name}_{side}" for name in names)
            rows += [
                (upper, parent, a, _between(a, b)),
                (lower, upper, b, _between(b, c)),
                (end, lower, c, tip),
            ]
            rows.append((f"{bent}ShareBone_{side}", lower, b, _between(b, c)))
            for part, head, tail in ((upper, a, b), (lower, b, c)):
                _row(rows, part, f"{part}Twist01 {part}Twist02", head, _between(head, tail), tail)
        rows.append((f"ToeBase_{side}", f"Foot_{side}", (0.09 * s, -0.11, 0.03), (0.09 * s, -0.13, 0.03)))
        _fingers(rows, f"Hand_{side}", s, tuple(f"{finger}_{side}_" for finger in ("Index", "Mid", "Pinky")))
    return rows


def dancer() -> Rows:
    """As MikuMikuDance's: controls of the feet on the ground, bones of the skin over those of the legs.

    Trunk and legs hang from one bone each; bones without length undo rotations; a skirt, locks and a tie.
    """
    rows: Rows = []
    _row(rows, None, "all center waist", (0, 0, 0), (0, 0, 0.65), (0, 0.03, 0.93), (0, 0, 1))
    _row(
        rows, "waist", "upper upper2 neck head", (0, 0, 1), (0, -0.01, 1.13), (0, 0.02, 1.32), (0, 0, 1.39),
        (0, 0, 1.55),
    )  # fmt: skip
    rows.append(("lower", "waist", (0, 0, 1), (0, 0, 0.87)))
    _row(rows, "upper2", "tie1 tie2", (0, -0.07, 1.25), (0, -0.08, 1.15), (0, -0.08, 1.05))
    for number in range(6):
        x, y = sin(pi * (2 * number + 1) / 6), cos(pi * (2 * number + 1) / 6)
        places = [((0.1 + 0.03 * k) * x, (0.08 + 0.03 * k) * y, 0.93 - 0.08 * k) for k in range(5)]
        _row(rows, "lower", " ".join(f"skirt{number}_{k}" for k in range(4)), *places)
    for side, s in (("L", 1.0), ("R", -1.0)):
        hip, knee, ankle, toe = (
            (0.08 * s, 0, 0.87), (0.08 * s, -0.01, 0.48), (0.08 * s, 0.02, 0.09), (0.08 * s, -0.1, 0.01),
        )  # fmt: skip
        _row(
            rows,
            "all",
            f"{side}_ground {side}_ik {side}_toe_ik",
            (*ankle[:2], 0),
            ankle,
            toe,
            (*toe[:2], 0.08),
        )
        rows.append((f"{side}_undo", "lower", hip, (*hip[:2], 0.95)))
        for name, end in (("", (0.08 * s, -0.15, 0.01)), ("skin_", (0.08 * s, -0.12, 0.01))):
            names = " ".join(f"{side}_{name}{part}" for part in ("thigh", "shin", "foot", "toe"))
            _row(rows, f"{side}_undo", names, hip, knee, ankle, toe, end)
        inner, outer, elbow, wrist = (
            (0.03 * s, 0.01, 1.29), (0.12 * s, 0.01, 1.28), (0.29 * s, 0.015, 1.14), (0.44 * s, 0, 1.02),
        )  # fmt: skip
        rows.append((f"{side}_raise", "upper2", inner, (*inner[:2], 1.35)))
        rows.append((f"{side}_clavicle", f"{side}_raise", inner, outer))
        rows.append((f"{side}_lower", f"{side}_clavicle", outer, (*outer[:2], 1.35)))
        _row(
            rows, f"{side}_lower",
            " ".join(f"{side}_{part}" for part in ("arm", "arm_twist", "forearm", "hand_twist", "hand")),
            outer, _between(outer, elbow), elbow, _between(elbow, wrist), wrist, (0.5 * s, 0, 0.97),
        )  # fmt: skip
        places = [((0.1 + 0.02 * k) * s, 0.05 + 0.01 * k, 1.55 - 0.12 * k) for k in range(4)]
        _row(rows, "head", f"{side}_lock1 {side}_lock2 {side}_lock3", *places)
    return rows


def avatar() -> Rows:
    """As VRoid's: a skirt and hair of four bones each, and wide sleeves that hang beside the hands."""
    rows = [row for row in anime() if not row[0].startswith(("skirt", "ear"))]
    for side, s in (("L", 1.0), ("R", -1.0)):
        for number, y in enumerate((-0.1, 0.0, 0.1)):
            x = 0.05 + 0.07 * (number == 1)
            places = [((x + 0.01 * k) * s, y * (1 + 0.2 * k), 0.87 - 0.14 * k) for k in range(5)]
            _row(rows, "hips", " ".join(f"{side}_skirt{number}_{k}" for k in range(4)), *places)
        places = [((0.42 + 0.05 * k) * s, 0, 1.23 - 0.06 * k) for k in range(4)]
        _row(rows, f"{side}_LowerArm", f"{side}_sleeve0 {side}_sleeve1 {side}_sleeve2", *places)
        for number in range(4):
            places = [((0.52 + 0.035 * k) * s, 0.03 - 0.02 * number, 1.24) for k in range(2, 6)]
            _row(rows, f"{side}_Hand", " ".join(f"{side}_finger{number}_{k}" for k in range(3)), *places)
        places = [(0.09 * s, -0.05, 1.55 - 0.08 * k) for k in range(5)]
        _row(rows, "head", " ".join(f"{side}_lock{k}" for k in range(4)), *places)
    return rows


def insect() -> Rows:
    """Six legs of five parts, antennae and wings."""
    rows: Rows = []
    _row(rows, None, "thorax abdomen", (0, 0, 0.3), (0, 0.3, 0.32), (0, 0.8, 0.28))
    rows.append(("head", "thorax", (0, 0, 0.3), (0, -0.2, 0.3)))
    knots = ((0.05, 0.28), (0.1, 0.26), (0.35, 0.5), (0.6, 0.15), (0.7, 0.02), (0.76, 0.0))
    for s, side in ((1.0, "L"), (-1.0, "R")):
        for number, y in enumerate((0.02, 0.12, 0.22)):
            places = [(s * x, y + 0.1 * x * (number - 1), z) for x, z in knots]
            parts = ("coxa", "femur", "tibia", "tarsus", "claw")
            _row(rows, "thorax", " ".join(f"{part}{number}.{side}" for part in parts), *places)
        places = [(s * 0.03 * k, -0.2 - 0.06 * k, 0.32 + 0.03 * k - 0.004 * k * k) for k in range(8)]
        _row(rows, "head", " ".join(f"antenna{k}.{side}" for k in range(7)), *places)
        rows.append((f"wing.{side}", "thorax", (0.05 * s, 0.1, 0.34), (0.6 * s, 0.5, 0.4)))
    return rows


def octopus() -> Rows:
    """Eight arms of ten bones."""
    rows: Rows = [("mantle", None, (0, 0, 0.3), (0, 0, 0.8))]
    for number in range(8):
        x, y = cos(2 * pi * number / 8), sin(2 * pi * number / 8)
        places = [((0.1 + 0.1 * k) * x, (0.1 + 0.1 * k) * y, 0.3 / (1 + k)) for k in range(11)]
        _row(rows, "mantle", " ".join(f"arm{number}_{k}" for k in range(10)), *places)
    return rows


def building_crane() -> Rows:
    """A mast, a jib with a trolley, a rope; nothing comes in twos."""
    rows: Rows = []
    _row(rows, None, "base mast jib", (0, 0, 0), (0, 0, 2), (0, 0, 20), (0, -15, 22))
    _row(
        rows,
        "jib",
        "trolley rope1 rope2 hook",
        (0, -10, 21),
        (0, -10, 20.5),
        (0, -10, 14),
        (0, -10, 8),
        (0, -10, 7),
    )
    return rows


def wading_bird() -> Rows:
    """A crane that stands: a long neck, knees at the body, heels halfway up that bend backwards."""
    rows: Rows = []
    _row(rows, None, "hips back", (0, 0.15, 0.8), (0, 0, 0.85), (0, -0.15, 0.95))
    places = [(0, -0.15 - 0.06 * sin(k), 0.95 + 0.08 * k) for k in range(8)]
    _row(rows, "back", " ".join(f"neck{k}" for k in range(7)), *places)
    rows.append(("head", "neck6", places[-1], (0, -0.4, 1.5)))
    for s, side in ((1.0, "L"), (-1.0, "R")):
        _row(
            rows, "hips", f"femur.{side} tibia.{side} tarsus.{side} toe.{side}",
            (0.06 * s, 0.12, 0.78), (0.08 * s, -0.06, 0.68), (0.08 * s, 0.1, 0.38), (0.08 * s, 0.0, 0.03),
            (0.08 * s, -0.1, 0.0),
        )  # fmt: skip
        _row(
            rows, "back", f"humerus.{side} ulna.{side} primaries.{side}",
            (0.06 * s, -0.1, 0.92), (0.12 * s, 0.15, 0.88), (0.15 * s, -0.12, 0.85), (0.14 * s, 0.3, 0.75),
        )  # fmt: skip
        for number in range(3):
            rows.append(
                (
                    f"feather{number}.{side}",
                    f"ulna.{side}",
                    (0.13 * s, 0.1 - 0.08 * number, 0.87),
                    (0.14 * s, 0.3, 0.8),
                )
            )
    return rows


FIGURES: Mapping[str, Callable[[], Rows]] = {
    "unreal": unreal, "capture": capture, "anime": anime, "creator": creator, "dancer": dancer,
    "avatar": avatar, "twisting": twisting, "insect": insect, "makehuman": makehuman, "octopus": octopus,
    "building_crane": building_crane, "wading_bird": wading_bird,
}  # fmt: skip
