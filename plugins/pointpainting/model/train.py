"""Trains the embedded models of the pointpainting benchmark and writes their files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 200 MB of disk for the frames, and one CPU core

The segmentation is trained first; it paints the points that the detector is trained on. Everything random is seeded.
Sums of floats differ between machines, so a repeated training agrees within about two points of mAP, not bit by bit.
"""

from pathlib import Path

import data
import detection
import export
import numpy as np
import segmentation
from embedded import training
from evaluate import Models, score, unpainted, without_intensity
from torch import nn

SEED = 1
SEGMENTATION_STEPS, DETECTION_STEPS = 2500, 3000
PARTS = ("segmentation", "detector")


def quantise(run, paths):
    """Writes the INT8 files with the ranges of the calibration frames."""
    frames, models = data.load("calibration", run.cache), Models(*(paths[part, "fp32"] for part in PARTS))
    pictures = ({export.PICTURE: data.normalised(picture)} for frame in frames for picture in frame.pictures)
    export.write_int8(paths["segmentation", "fp32"], pictures, paths["segmentation", "int8"], export.LOGITS)
    pillars = (models.feeds(points) for points in segmentation.painted(frames, models.segment))
    export.write_int8(paths["detector", "fp32"], pillars, paths["detector", "int8"], "/last")
    return len(frames)


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    parser.add_argument("--segmentation-steps", type=int, default=SEGMENTATION_STEPS, help="fewer to try things out")
    parser.add_argument("--detection-steps", type=int, default=DETECTION_STEPS, help="fewer to try things out")
    with training.Run(parser, SEED) as run:
        frames = data.load("train", run.cache)
        run.say(f"{len(frames)} frames read")
        segmenter = segmentation.kept(frames, run.options.segmentation_steps, SEED, run.cache / "segmentation.pt")
        points = segmentation.painted(frames, segmentation.by(segmenter))
        detector = detection.train(frames, points, run.options.detection_steps, np.random.default_rng(SEED))
        run.trained(nn.ModuleDict({"segmentation": segmenter, "detector": detector}))
        write(run, segmenter, detector, len(frames))


def write(run, segmenter, detector, trained):
    """Writes, quantises and scores the files, and the card."""
    paths = {(part, p): run.out / f"{part}_{p}.onnx" for part in PARTS for p in ("fp32", "int8")}
    export.write_segmentation(segmenter, paths["segmentation", "fp32"])
    export.write_detector(detector, paths["detector", "fp32"])
    calibrated, frames = quantise(run, paths), data.load("eval", run.cache)
    models = {p: Models(*(paths[part, p] for part in PARTS)) for p in ("fp32", "int8")}
    found = {p: score(models[p], frames) for p in models}
    facts = {"segmentation_parameters": training.parameters(segmenter)}
    facts |= {"detector_parameters": training.parameters(detector), "train_frames": trained}
    facts |= {"calibration_frames": calibrated, "eval_frames": len(frames)}
    facts["whole"] = found["fp32"]
    facts["unpainted"] = score(models["fp32"], frames, change=unpainted)
    facts["without_intensity"] = score(models["fp32"], frames, change=without_intensity)
    metrics = {p: [("mAP", "", share["Total"] / 100), *of_classes(share)] for p, share in found.items()}
    run.write_card(facts, [training.entry(paths[part, p], p, *metrics[p], part=part) for p in models for part in PARTS])


def of_classes(share):
    return [(f"{name} AP", "", share[name] / 100) for name in data.CLASSES]


if __name__ == "__main__":
    main()
