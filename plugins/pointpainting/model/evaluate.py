"""Boxes of the two ONNX files in ONNX Runtime on the CPU, by the benchmark's rules, and their score."""

import data
import numpy as np
from data import CLASSES
from embedded.runtime import session
from export import COORDINATES, COUNTS, DETECTIONS, LOGITS, PICTURE, PILLARS
from segmentation import painted

LEAST_SCORE, OVERLAP, MOST = np.float32(0.1), 0.25, 500
MINIMUM = (0.5, 0.5, 0.7)  # overlap of a class's boxes
RECALLS = 40


class Models:
    def __init__(self, segmentation, detector):
        self.segmentation, self.detector = session(segmentation, threads=1), session(detector, threads=1)

    def segment(self, pixels):
        return self.segmentation.run([LOGITS], {PICTURE: pixels})[0]

    def feeds(self, points):
        return dict(zip((PILLARS, COORDINATES, COUNTS), data.pillars(points)))

    def boxes(self, points):
        """Rows of x, y, z, w, l, h, angle, score and class of painted points, a class after the other."""
        (rows,) = self.detector.run([DETECTIONS], self.feeds(points))
        kept = []
        for k in range(len(CLASSES)):
            chosen = rows[rows[:, 7 + k] > LEAST_SCORE]
            chosen = chosen[np.argsort(-chosen[:, 7 + k], kind="stable")]
            chosen = chosen[suppressed(chosen)]
            angle = chosen[:, 6] - np.floor(chosen[:, 6] / np.pi + 1) * np.pi + (1 - chosen[:, 10]) * np.pi
            kept.append(np.column_stack([chosen[:, :6], angle, chosen[:, 7 + k], np.full(len(chosen), k)]))
        kept = np.concatenate(kept)
        return kept[np.argsort(-kept[:, 7], kind="stable")[:MOST]] if len(kept) > MOST else kept


def corners(box):
    """The corners 4,2 of a box on the ground."""
    half, c, s = box[3:5] / 2, np.cos(box[6]), np.sin(box[6])
    away = half * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    return away @ np.array([(c, -s), (s, c)]) + box[:2]


def common(a, b):
    """The area of two boxes in common on the ground."""
    if np.hypot(*(a[:2] - b[:2])) * 2 > np.hypot(a[3], a[4]) + np.hypot(b[3], b[4]):
        return 0.0
    polygon, edges = list(corners(a)), corners(b)
    for start, end in zip(edges, np.roll(edges, -1, 0)):
        side = [(end[0] - start[0]) * (p[1] - start[1]) - (end[1] - start[1]) * (p[0] - start[0]) for p in polygon]
        clipped = []
        for k, p in enumerate(polygon):
            before = k - 1
            if side[k] * side[before] < 0:
                clipped.append(polygon[before] + (p - polygon[before]) * side[before] / (side[before] - side[k]))
            if side[k] >= 0:
                clipped.append(p)
        polygon = clipped
        if len(polygon) < 3:
            return 0.0
    x, y = np.array(polygon).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def suppressed(rows):
    """Indices of the rows that no better one covers."""
    keep = []
    for k, row in enumerate(rows.astype(np.float64)):
        area = row[3] * row[4]
        for other in rows[keep].astype(np.float64):
            shared = common(row, other)
            if shared / max(area + other[3] * other[4] - shared, 1e-8) > OVERLAP:
                break
        else:
            keep.append(k)
    return keep


def overlap(a, b):
    """The share of two boxes' union that they have in common."""
    high = min(a[2] + a[5], b[2] + b[5]) - max(a[2], b[2])
    shared = common(a, b) * max(high, 0)
    return shared / (a[3:6].prod() + b[3:6].prod() - shared + 1e-8)


class Matching:
    """The overlaps of a class in a frame."""

    def __init__(self, found, frame, k):
        found, true = found[found[:, 8] == k], frame.labels == k
        self.scores, self.counted, self.least = found[:, 7], frame.counted[true], MINIMUM[k]
        self.overlaps = np.array([[overlap(t, d) for d in found] for t in frame.boxes[true]]).reshape(true.sum(), -1)

    def taken(self):
        """The scores of the boxes that counting objects take: of each object the best of those left."""
        free, taken = np.ones(len(self.scores), bool), []
        for shares, counted in zip(self.overlaps, self.counted):
            may = np.flatnonzero(free & (shares > self.least))
            if len(may):
                best = may[self.scores[may].argmax()]
                free[best] = False
                taken += [self.scores[best]] if counted else []
        return taken

    def count(self, least):
        """True and false positives among the boxes of at least a score."""
        free, right = self.scores >= least, 0
        for shares, counted in zip(self.overlaps, self.counted):
            may = np.flatnonzero(free & (shares > self.least))
            if len(may):
                free[may[shares[may].argmax()]] = False
                right += counted
        return right, free.sum()


def thresholds(taken, count):
    """The scores at which recall rises by a step."""
    chosen, taken = [], sorted(taken, reverse=True)
    for i, score in enumerate(taken):
        recall, following = (i + 1) / count, (i + 2) / count
        if i < len(taken) - 1 and (recall + following) / 2 < len(chosen) / RECALLS:
            continue
        chosen.append(score)
    return chosen


def precision(found, frames, k):
    """The average precision of a class in percent; found: boxes of each frame."""
    matchings = [Matching(*pair, k) for pair in zip(found, frames)]
    taken, count = [score for m in matchings for score in m.taken()], sum(m.counted.sum() for m in matchings)
    curve = np.zeros(RECALLS + 1)
    for i, least in enumerate(thresholds(taken, count)):
        right, wrong = np.sum([m.count(least) for m in matchings], 0)
        curve[i] = right / (right + wrong)
    return 100 * np.maximum.accumulate(curve[::-1])[::-1][::4].mean()


def score(models, frames, points=None, change=lambda points: points):
    """The precision of each class, and "Total", their mean. points: painted ones, if they are there; change: what is
    done to them."""
    points = painted(frames, models.segment) if points is None else points
    found = [models.boxes(change(p.copy())) for p in points]
    each = {name: float(precision(found, frames, k)) for k, name in enumerate(CLASSES)}
    return {**each, "Total": float(np.mean(list(each.values())))}


def unpainted(points):
    points[:, 5:] = 0
    return points


def without_intensity(points):
    points[:, 3:5] = 0
    return points
