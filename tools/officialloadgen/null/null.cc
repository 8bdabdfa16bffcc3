// The official LoadGen alone, with a SUT in C++ that answers at once: what the harness's driver is measured beside.
// make bench-official builds and runs it: official-null FOLDER SCENARIO QUERIES, where scenarios count from 0.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shim.h"

namespace {

const official_loadgen *loadgen;

void Issue(uintptr_t, official_sample *samples, size_t count) {
  static thread_local std::vector<official_response> responses;
  responses.resize(count);
  for (size_t i = 0; i < count; i++) responses[i] = {samples[i].id, 0, 0, 0};
  loadgen->complete(responses.data(), count);
}
void Flush(uintptr_t) {}
void Samples(uintptr_t, size_t *, size_t) {}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  loadgen = plumbline_official_loadgen(OFFICIAL_ABI);
  official_test test = {};
  official_settings &s = test.settings;
  s.scenario = std::atoi(argv[2]);
  s.mode = 2;
  s.min_query_count = std::strtoull(argv[3], nullptr, 10);
  s.single_stream_expected_latency_ns = 1e6, s.single_stream_target_latency_percentile = .9;
  s.multi_stream_expected_latency_ns = 8e6, s.multi_stream_target_latency_percentile = .99;
  s.multi_stream_samples_per_query = 8;
  s.server_target_qps = 1e9, s.server_target_latency_ns = 3600000000000, s.server_target_latency_percentile = .99;
  s.offline_expected_qps = 1;
  test.total_samples = 50000, test.performance_samples = 1024;
  test.sut_name = test.qsl_name = "null", test.out_dir = argv[1], test.prefix = "mlperf_log_", test.suffix = "";
  test.audit_config = "";
  const official_callbacks calls = {Issue, Flush, Samples, Samples};
  const auto began = std::chrono::steady_clock::now();
  if (char *fault = loadgen->start(0, &calls, &test)) {
    std::fprintf(stderr, "%s\n", fault);
    return 1;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%.6f s\n", took.count());
}
