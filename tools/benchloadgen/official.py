"""Times one StartTest of the official LoadGen (package mlcommons-loadgen) with a SUT that answers at once.

Arguments: log directory, scenario, queries, queries per second (Server), whether to trace.
Prints {"seconds": N}.
"""
import json
import sys
import time

import mlperf_loadgen as lg

out_dir, scenario, queries, qps, trace = sys.argv[1:6]

settings = lg.TestSettings()
settings.scenario = getattr(lg.TestScenario, scenario)
settings.mode = lg.TestMode.PerformanceOnly
settings.min_duration_ms = 0
settings.min_query_count = int(queries)
settings.server_target_qps = float(qps)


def issue(samples):
    lg.QuerySamplesComplete([lg.QuerySampleResponse(s.id, 0, 0) for s in samples])


sut = lg.ConstructSUT(issue, lambda: None)
qsl = lg.ConstructQSL(50000, 1024, lambda samples: None, lambda samples: None)
output = lg.LogOutputSettings()
output.outdir = out_dir
output.copy_summary_to_stdout = False
logs = lg.LogSettings()
logs.log_output = output
logs.enable_trace = trace == "true"

began = time.perf_counter()
lg.StartTestWithLogSettings(sut, qsl, settings, logs, "")
print(json.dumps({"seconds": time.perf_counter() - began}))
lg.DestroyQSL(qsl)
lg.DestroySUT(sut)
