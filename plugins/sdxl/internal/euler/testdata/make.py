"""Writes what diffusers' EulerDiscreteScheduler makes of settings that the released checkpoint does not have.

    python make.py OUT

Needs diffusers 0.39, torch and numpy. OUT gets tables.json (timesteps and noise levels) and steps.json with its arrays (whole ways through a
schedule, by drawn predictions): golden cases of ../euler_test.go.
"""

import itertools
import json
import os
import sys

import numpy as np
import torch
from diffusers import EulerDiscreteScheduler

OUT = sys.argv[1]
BASE = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "num_train_timesteps": 1000, "interpolation_type": "linear"}
VALUES, GUIDANCE = 24, 7.5


def configs():
    short = {"epsilon": "e", "v_prediction": "v"}
    for kind, spacing, karras, last in itertools.product(short, ["leading", "trailing", "linspace"], [False, True], ["zero", "sigma_min"]):
        if last == "zero" or karras:
            yield f"{short[kind]}-{spacing}{'-karras' * karras}{'-min' * (last != 'zero')}", {
                **BASE, "prediction_type": kind, "timestep_spacing": spacing, "use_karras_sigmas": karras, "final_sigmas_type": last,
                "steps_offset": 1 if spacing == "leading" else 0}


def walk(config, steps, seed, name):
    s = EulerDiscreteScheduler(**config)
    s.set_timesteps(steps)
    g = torch.Generator().manual_seed(seed)
    draw = lambda: torch.randn(1, 1, 1, VALUES, generator=g)
    start = draw()
    x = start * s.init_noise_sigma
    uncond, text, inputs, latents = [], [], [], [x]
    for t in s.timesteps:
        pair = s.scale_model_input(torch.cat([x, x]), t)
        u, c = draw(), draw()
        x = s.step(u + GUIDANCE * (c - u), t, x).prev_sample
        uncond, text, inputs, latents = uncond + [u], text + [c], inputs + [pair], latents + [x]
    files = {}
    for what, arrays in {"start": [start], "uncond": uncond, "text": text, "model_input": inputs, "latents": latents}.items():
        files[what] = f"{name}_{what}.npy"
        np.save(os.path.join(OUT, files[what]), torch.stack(arrays).numpy())
    return files


def main():
    os.makedirs(OUT, exist_ok=True)
    known, tables, cases = dict(configs()), [], []
    for name, config in known.items():
        for steps in [1, 3, 7, 20, 50] if name.startswith("e-") else [7]:
            if "linspace" in name and steps > 20:
                continue
            s = EulerDiscreteScheduler(**config)
            s.set_timesteps(steps)
            tables.append({"config": name, "steps": steps, "timesteps": [float(t) for t in s.timesteps], "sigmas": [float(v) for v in s.sigmas],
                           "init_noise_sigma": float(s.init_noise_sigma)})
    for i, name in enumerate(["v-trailing", "v-trailing-karras", "v-leading-karras", "e-trailing-karras", "v-linspace-karras-min"]):
        cases.append({"name": name, "config": name, "steps": 6, "guidance_scale": GUIDANCE, "files": walk(known[name], 6, i, name)})
    for file, value in {"tables.json": {"configs": known, "tables": tables}, "steps.json": {"cases": cases}}.items():
        with open(os.path.join(OUT, file), "w") as f:
            json.dump(value, f, separators=(",", ":"))


main()
