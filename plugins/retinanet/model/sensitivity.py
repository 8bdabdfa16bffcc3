"""What each mistake of preprocessing costs: mAP of the embedded FP32 model with one step done wrong."""

from pathlib import Path

import cv2
import numpy as np
from embedded.scenes import Evaluation
from evaluate import Detector

MODEL = Path(__file__).resolve().parent / "retinanet_fp32.onnx"


def prepared(bgr, size, method=cv2.INTER_LINEAR):
    return cv2.resize(bgr.astype(np.float32)[:, :, ::-1], (size, size), interpolation=method) / np.float32(255)


def planes(x):
    return np.ascontiguousarray(x.transpose(2, 0, 1), np.float32)


def letterbox(bgr, size):
    """Proportions kept, black below or on the right."""
    height, width = bgr.shape[:2]
    side = max(height, width)
    square = np.zeros((side, side, 3), np.uint8)
    square[:height, :width] = bgr
    return planes(prepared(square, size))


MISTAKES = {
    "none": lambda p, n: planes(prepared(p, n)),
    "red and blue swapped": lambda p, n: planes(prepared(p, n)[:, :, ::-1]),
    "proportions kept": letterbox,
    "width and height exchanged": lambda p, n: planes(prepared(p, n).transpose(1, 0, 2)),
    "NHWC read as NCHW": lambda p, n: prepared(p, n).reshape(3, n, n),
    "not divided by 255": lambda p, n: planes(prepared(p, n) * 255),
    "mean and deviation applied outside": lambda p, n: planes((prepared(p, n) - 0.45) / 0.225),
    "INTER_NEAREST": lambda p, n: planes(prepared(p, n, cv2.INTER_NEAREST)),
}


def main():
    scenes = Evaluation()
    for name, prepare in MISTAKES.items():
        print(f"| {name} | {scenes.score(Detector(MODEL, prepare))[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
