#!/usr/bin/env python3
"""Asks a server with tritonclient.grpc.aio, as kserve-speed does with the backend.

    pip install tritonclient[grpc]==2.73.0
    python3 client.py HOST:PORT MODEL [REQUESTS IN FLIGHT] [SECONDS]
"""

import asyncio
import sys
import time

import numpy as np
import tritonclient.grpc.aio as triton
from tritonclient.utils import triton_to_np_dtype

OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


async def main(url, model, in_flight=64, seconds=3):
    async with triton.InferenceServerClient(url, channel_args=OPTIONS) as client:
        about = await client.get_model_metadata(model)
        inputs = []
        for t in about.inputs:
            shape = [1 if d < 0 else d for d in t.shape]
            inputs.append(triton.InferInput(t.name, shape, t.datatype))
            inputs[-1].set_data_from_numpy(np.zeros(shape, triton_to_np_dtype(t.datatype)))
        outputs = [triton.InferRequestedOutput(t.name) for t in about.outputs]
        start, done = time.monotonic(), 0

        async def ask():
            nonlocal done
            while time.monotonic() - start < float(seconds):
                await client.infer(model, inputs, outputs=outputs)
                done += 1

        await asyncio.gather(*(ask() for _ in range(int(in_flight))))
        print(f"{1e3 * time.process_time() / done:.2f} ms of processor time each")
        print(f"{done / (time.monotonic() - start):.1f} requests/s")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
