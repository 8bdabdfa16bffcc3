"""DICE of an ONNX file in ONNX Runtime on the CPU, by sliding windows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from data import WINDOW, importance, origins
from embedded import runtime
from export import INPUT, OUTPUT
from network import CLASSES


def box(place, window=WINDOW):
    """The part of a volume that a window takes."""
    return tuple(slice(n, n + window) for n in place)


def windows(image, places, window=WINDOW):
    """The windows of a volume at the places given: float32 N,1,D,H,W."""
    return np.stack([image[box(place, window)] for place in places])[:, None].astype(np.float32)


def segment(session, image, window=WINDOW, batch=8):
    """The class of each voxel: scores of overlapping windows, weighed by their importance."""
    weight = importance(window)
    scores, norm = np.zeros((CLASSES, *image.shape), np.float32), np.zeros(image.shape, np.float32)
    places = origins(image.shape, window)
    for i in range(0, len(places), batch):
        answers = session.run([OUTPUT], {INPUT: windows(image, places[i : i + batch], window)})[0]
        for place, answer in zip(places[i : i + batch], answers):
            scores[(slice(None), *box(place, window))] += answer * weight
            norm[box(place, window)] += weight
    return (scores / norm).argmax(0).astype(np.uint8)


def dice(predicted, labels, label):
    both = np.count_nonzero((predicted == label) & (labels == label))
    return (2 * both + 1e-6) / (np.count_nonzero(predicted == label) + np.count_nonzero(labels == label) + 1e-6)


def mean_dice(path, cases):
    """Mean DICE over the cases of kidney (class 1), of tumour (class 2), and of their mean."""
    session = runtime.session(path, threads=1)  # the cases are spread over the cores

    def score(case):
        predicted = segment(session, case[0])
        return dice(predicted, case[1], 1), dice(predicted, case[1], 2)

    with ThreadPoolExecutor() as pool:
        rows = list(pool.map(score, cases))
    kidney, tumour = np.mean(rows, 0)
    found = {"kidney": kidney, "tumour": tumour, "mean": (kidney + tumour) / 2}
    return {name: round(float(value), 6) for name, value in found.items()}
