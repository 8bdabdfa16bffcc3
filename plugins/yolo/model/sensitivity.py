"""What each mistake of preprocessing costs: mAP of the embedded FP32 model with one step done wrong."""

from pathlib import Path

import cv2
import data
import numpy as np
from embedded.scenes import Evaluation
from evaluate import Detector

MODEL = Path(__file__).resolve().parent / "yolo_fp32.onnx"


def bordered(grey=data.GREY, method=cv2.INTER_LINEAR, shift=0):
    """Letterboxing with another border, another filter, or the picture further up and left."""

    def prepare(bgr, side):
        w, h, left, top = data.place(bgr.shape[1], bgr.shape[0], side)
        left, top = max(0, left - shift), max(0, top - shift)
        out = np.full((side, side, 3), grey, np.uint8)
        out[top : top + h, left : left + w] = cv2.resize(bgr, (w, h), interpolation=method)
        return np.ascontiguousarray(out[:, :, ::-1].transpose(2, 0, 1)) / np.float32(255)

    return prepare


def stretched(bgr, side):
    resized = cv2.resize(bgr, (side, side), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(resized[:, :, ::-1].transpose(2, 0, 1)) / np.float32(255)


MISTAKES = {
    "none": data.letterbox,
    "red and blue swapped": lambda p, n: np.ascontiguousarray(data.letterbox(p, n)[::-1]),
    "stretched to the square": stretched,
    "no border above and on the left": bordered(shift=data.GREY),
    "a border one pixel off": bordered(shift=1),
    "a black border": bordered(grey=0),
    "not divided by 255": lambda p, n: data.letterbox(p, n) * np.float32(255),
    "INTER_NEAREST": bordered(method=cv2.INTER_NEAREST),
}


def main():
    scenes = Evaluation()
    for name, prepare in MISTAKES.items():
        print(f"| {name} | {scenes.score(Detector(MODEL, prepare))[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
