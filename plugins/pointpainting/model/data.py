"""The data: the project's synthetic streets, written by its own command, painted and put into pillars as the benchmark
does it."""

import pickle
import tempfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from embedded import synthetic

CAMERAS = 5
MEAN, DEVIATION = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
BEFORE_HALVING = ((0, 1), (0, 2), (1, 3), (2, 4))  # cameras that both see a point
CLASSES = ("Pedestrian", "Cyclist", "Car")
SCORES = ((0, 11), (18, 19), (13, 17), (11, 12), (12, 13), (17, 18))  # of the 19 classes, that each score sums

LOW, HIGH = np.float32([-12, -12, -2]), np.float32([12, 12, 4])
VOXEL = np.float32([0.3, 0.3, 6])
CELLS = 80  # along x and along y
POINTS, PILLARS = 16, 2000  # points of a pillar and pillars of a frame, at most


@dataclass
class Frame:
    """points M,5; pictures: five of uint8 H,W,3, RGB; classes: five of uint8 H,W; boxes K,7: x, y, z of the ground,
    width, length, height, angle of the lidar; labels K; counted K: whether they count."""

    points: np.ndarray
    pictures: list
    classes: list
    calibration: dict
    boxes: np.ndarray
    labels: np.ndarray
    counted: np.ndarray


def load(name, cache):
    """The frames of a set, kept as written in cache."""
    with tempfile.TemporaryDirectory() as folder:
        folder = synthetic.export("streets", name, Path(cache or folder) / name)
        infos = pickle.loads((folder / "waymo_infos_val.pkl").read_bytes())
        return [_read(folder, info) for info in infos]


def _read(folder, info):
    points = np.fromfile(folder / info["point_cloud"]["velodyne_path"], np.float32).reshape(-1, 6)[:, :5]
    image, training = info["image"]["image_idx"], folder / "training"
    pictures = [cv2.imread(str(training / f"image_{k}" / f"{image}.jpg"))[:, :, ::-1] for k in range(CAMERAS)]
    grey = cv2.IMREAD_GRAYSCALE
    classes = [cv2.imread(str(training / f"classes_{k}" / f"{image}.png"), grey) for k in range(CAMERAS)]
    calibration = {key: np.float32(value) for key, value in info["calib"].items()}
    annos = info["annos"]
    known = np.isin(annos["name"], CLASSES)
    # Camera 0 looks ahead and has no turn of its own: its axes are those of the lidar.
    inverse = np.linalg.inv(np.float64(calibration["R0_rect"]) @ np.float64(calibration["Tr_velo_to_cam_0"]))
    place = np.column_stack([annos["location"], np.ones(len(known))]) @ inverse.T
    boxes = np.column_stack([place[:, :3], annos["dimensions"][:, [2, 0, 1]], annos["rotation_y"]])[known]
    labels = np.array([CLASSES.index(name) for name in annos["name"][known]], np.int64)
    return Frame(points, pictures, classes, calibration, boxes, labels, annos["difficulty"][known] == 0)


def normalised(picture):
    """A picture as the segmentation's input: float32 1,3,H,W."""
    return np.ascontiguousarray(((picture / np.float32(255) - MEAN) / DEVIATION).transpose(2, 0, 1))[None]


def scores_of(logits):
    """The six scores of each pixel, float32 6,H,W, of logits 19,H,W."""
    e = np.exp(logits - logits.max(0))
    e /= e.sum(0)
    return np.stack([e[first:end].sum(0) for first, end in SCORES])


def true_scores(classes):
    """What scores_of gives where the segmentation is right and sure."""
    return np.stack([(classes >= first) & (classes < end) for first, end in SCORES]).astype(np.float32)


def in_range(points):
    return points[((points[:, :3] > LOW) & (points[:, :3] < HIGH)).all(1)]


def paint(points, calibration, maps):
    """Points with the six scores of the pixels that they lie at: M,11. maps: the scores of the five cameras."""
    painted, seen = np.zeros((len(points), 6), np.float32), []
    whole = np.column_stack([points[:, :3], np.ones(len(points), np.float32)])
    for k, scores in enumerate(maps):
        camera = whole @ calibration[f"Tr_velo_to_cam_{k}"].T
        pixel = camera @ (calibration[f"P{k}"] @ calibration["R0_rect"]).T
        with np.errstate(all="ignore"):
            u, v = pixel[:, 0] / pixel[:, 2], pixel[:, 1] / pixel[:, 2]
        height, width = scores.shape[1:]
        seen.append((u > 0) & (u < width) & (v > 0) & (v < height) & (camera[:, 2] > 0))
        at = seen[-1]
        painted[at] += scores[:, np.floor(v[at]).astype(int), np.floor(u[at]).astype(int)].T
    for a, b in BEFORE_HALVING:
        painted[seen[a] & seen[b]] *= np.float32(0.5)
    return np.concatenate([points, painted], 1)


def pillars(points):
    """Pillars P,POINTS,11, coordinates P,4 and counts P of points, in the order of their arrival."""
    cells = np.floor((points[:, :2] - LOW[:2]) / VOXEL[:2]).astype(np.int64)
    kept = ((cells >= 0) & (cells < CELLS)).all(1)
    points, cells = points[kept], cells[kept]
    _, first, index = np.unique(cells[:, 0] * CELLS + cells[:, 1], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    index = rank[index]
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(len(first)))
    places = np.empty(len(points), np.int64)
    places[order] = np.arange(len(points)) - starts[index[order]]
    stored = (places < POINTS) & (index < PILLARS)
    count = min(len(first), PILLARS)
    values = np.zeros((count, POINTS, points.shape[1]), np.float32)
    values[index[stored], places[stored]] = points[stored]
    coordinates = np.zeros((count, 4), np.int64)
    coordinates[:, 1:3] = cells[np.sort(first)[:count]]
    counts = np.bincount(index[stored], minlength=count).astype(np.int32)
    return values, coordinates, counts
