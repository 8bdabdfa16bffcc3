"""What mistakes in preprocessing cost: top-1 of the embedded FP32 model with one step done wrong at a time.

    python sensitivity.py

Data on which a mistake costs nothing could not show it: the figures are in the model card.
"""

import tempfile
from pathlib import Path

import cv2
import data
import evaluate
import numpy as np

MODEL = Path(__file__).with_name("resnet_fp32.onnx")


def resize(bgr, shape, interpolation=cv2.INTER_AREA):
    return cv2.resize(bgr, shape, interpolation=interpolation)


def shape_of(bgr, short):
    height, width = bgr.shape[:2]
    return (int(short * width / min(height, width)), int(short * height / min(height, width)))


def crop(bgr, left, top):
    return bgr[top : top + 224, left : left + 224, ::-1]


def centred(bgr, short=256, interpolation=cv2.INTER_AREA):
    width, height = shape_of(bgr, short)
    return crop(resize(bgr, (width, height), interpolation), (width - 224) // 2, (height - 224) // 2)


def unscaled_crop(bgr):
    """The middle 224x224 of the picture at its own size, grown only where it is smaller."""
    short = max(224, min(bgr.shape[:2]))
    return centred(bgr, short)


# Each takes a picture (uint8 H,W,3, BGR) to uint8 224,224,3; "model input" ones act on float32 N,3,224,224.
PICTURE_MISTAKES = {
    "none": lambda p: data.resize_and_crop(p, 224),
    "red and blue swapped": lambda p: data.resize_and_crop(p, 224)[..., ::-1],
    "proportions not kept": lambda p: resize(p, (224, 224))[..., ::-1],
    "crop at the top left": lambda p: crop(resize(p, shape_of(p, 256)), 0, 0),
    "short side to 224, not 256": lambda p: centred(p, 224),
    "not resized": unscaled_crop,
    "INTER_LINEAR": lambda p: centred(p, interpolation=cv2.INTER_LINEAR),
    "INTER_NEAREST": lambda p: centred(p, interpolation=cv2.INTER_NEAREST),
    "width and height exchanged": lambda p: data.resize_and_crop(p, 224).transpose(1, 0, 2),
    "8 levels lost": lambda p: data.resize_and_crop(p, 224) // 32 * 32,
}
INPUT_MISTAKES = {
    "means not subtracted": lambda x: x + data.MEANS[:, None, None],
    "divided by 255": lambda x: x / 255,
    "means of BGR": lambda x: x + (data.MEANS - data.MEANS[::-1])[:, None, None],
    "NHWC read as NCHW": lambda x: np.ascontiguousarray(x.transpose(0, 2, 3, 1)).reshape(x.shape),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths, labels = data.draw("eval", folder)
        pictures = [cv2.imread(path) for path in paths]

    def report(name, pixels, change=lambda x: x):
        right = evaluate.predict(MODEL, pixels, 50, change) == labels
        print(f"| {name} | {100 * right.mean():.1f} |", flush=True)

    for name, mistake in PICTURE_MISTAKES.items():
        report(name, np.stack([mistake(p) for p in pictures]))
    correct = np.stack([data.resize_and_crop(p, 224) for p in pictures])
    for name, mistake in INPUT_MISTAKES.items():
        report(name, correct, mistake)


if __name__ == "__main__":
    main()
