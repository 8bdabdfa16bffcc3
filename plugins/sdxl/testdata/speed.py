"""How long the Python libraries of the reference take for what Plumbline does around the networks: processor time of one
thread, the best of some passes, and for the FID the memory.

    pip install transformers==4.45.2 ftfy open_clip_torch pillow scipy
    OMP_NUM_THREADS=1 python speed.py tokens GOLDEN/text_to_image/tokenizer
    OMP_NUM_THREADS=1 python speed.py crop
    OMP_NUM_THREADS=1 python speed.py fid

tokens: a caption to 77 ids by CLIPTokenizer. crop: CLIP's input from 1024x1024 pixels by open_clip's transform. fid: the
FID of two sets of 5,000 x 2,048 features, covariances included.
"""

import json
import resource
import sys
import time
from pathlib import Path

PASSES = 5


def best(work):
    times = []
    for _ in range(PASSES):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def tokens(folder):
    from transformers import CLIPTokenizer

    lines = (Path(folder) / "captions.jsonl").read_text(encoding="utf-8").splitlines()
    captions = [json.loads(line)["caption"] for line in lines]
    tokenizer = CLIPTokenizer.from_pretrained(str(Path(folder) / "tokenizer"))

    def work():
        for caption in captions:
            tokenizer(caption, padding="max_length", truncation=True, max_length=77)

    print(f"{best(work) / len(captions) * 1e6:.1f} us for a caption, of {len(captions)}")


def crop():
    import numpy as np
    import open_clip
    import torch
    from PIL import Image

    torch.set_num_threads(1)
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 256, (1024, 1024, 3), np.uint8))
    transform = open_clip.image_transform(224, is_train=False)

    def work():
        for _ in range(20):
            transform(picture)

    print(f"{best(work) / 20 * 1e3:.2f} ms for a picture")


def fid():
    import numpy as np
    from scipy import linalg

    rng = np.random.default_rng(1)
    sets = [rng.standard_normal((5000, 2048), np.float32) for _ in range(2)]
    start = time.process_time()
    means, covariances = zip(*((x.mean(0, dtype=np.float64), np.cov(x.astype(np.float64), rowvar=False)) for x in sets))
    root = linalg.sqrtm(covariances[0] @ covariances[1])
    distance = ((means[0] - means[1]) ** 2).sum() + sum(np.trace(c) for c in covariances) - 2 * np.trace(root).real
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"FID {distance:.6f}: {time.process_time() - start:.1f} s, {memory} MB")


if __name__ == "__main__":
    {"tokens": tokens, "crop": crop, "fid": fid}[sys.argv[1]](*sys.argv[2:])
