//go:build ignore

// The official LoadGen behind the C interface of shim.h. tools/officialloadgen compiles it with the LoadGen's sources,
// and defines kBuild.
#include "shim.h"

#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "loadgen.h"
#include "query_sample.h"
#include "query_sample_library.h"
#include "system_under_test.h"
#include "test_settings.h"

extern "C" const char kBuild[];

namespace {

static_assert(sizeof(official_sample) == sizeof(mlperf::QuerySample), "the LoadGen's QuerySample has changed");
static_assert(sizeof(official_response) == sizeof(mlperf::QuerySampleResponse),
              "the LoadGen's QuerySampleResponse has changed");
static_assert(sizeof(size_t) == sizeof(mlperf::QuerySampleIndex), "the LoadGen's QuerySampleIndex has changed");

class SUT : public mlperf::SystemUnderTest {
 public:
  SUT(uintptr_t run, const official_callbacks &calls, const char *name) : run_(run), calls_(calls), name_(name) {}
  const std::string &Name() override { return name_; }
  void IssueQuery(const std::vector<mlperf::QuerySample> &samples) override {
    auto *first = reinterpret_cast<const official_sample *>(samples.data());
    calls_.issue(run_, const_cast<official_sample *>(first), samples.size());
  }
  void FlushQueries() override { calls_.flush(run_); }

 private:
  const uintptr_t run_;
  const official_callbacks calls_;
  const std::string name_;
};

class QSL : public mlperf::QuerySampleLibrary {
 public:
  QSL(uintptr_t run, const official_callbacks &calls, const official_test &test)
      : run_(run), calls_(calls), name_(test.qsl_name), total_(test.total_samples),
        performance_(test.performance_samples) {}
  const std::string &Name() override { return name_; }
  size_t TotalSampleCount() override { return total_; }
  size_t PerformanceSampleCount() override { return performance_; }
  void LoadSamplesToRam(const std::vector<mlperf::QuerySampleIndex> &samples) override {
    calls_.load(run_, const_cast<size_t *>(samples.data()), samples.size());
  }
  void UnloadSamplesFromRam(const std::vector<mlperf::QuerySampleIndex> &samples) override {
    calls_.unload(run_, const_cast<size_t *>(samples.data()), samples.size());
  }

 private:
  const uintptr_t run_;
  const official_callbacks calls_;
  const std::string name_;
  const size_t total_, performance_;
};

// SetAccuracyCount sets a field that came with LoadGen 6.0; the second one is for those before.
template <class T>
auto SetAccuracyCount(T &to, uint64_t count, int) -> decltype(to.accuracy_sample_count_override, void()) {
  to.accuracy_sample_count_override = count;
}
template <class T>
void SetAccuracyCount(T &, uint64_t, long) {}

mlperf::TestSettings Settings(const official_settings &from) {
  mlperf::TestSettings to;
  to.scenario = static_cast<mlperf::TestScenario>(from.scenario);
  to.mode = static_cast<mlperf::TestMode>(from.mode);
#define SET(field) to.field = from.field
  SET(single_stream_expected_latency_ns);
  SET(single_stream_target_latency_percentile);
  SET(multi_stream_expected_latency_ns);
  SET(multi_stream_target_latency_percentile);
  SET(multi_stream_samples_per_query);
  SET(server_target_qps);
  SET(server_target_latency_ns);
  SET(server_target_latency_percentile);
  SET(server_coalesce_queries);
  SET(server_find_peak_qps_decimals_of_precision);
  SET(server_find_peak_qps_boundary_step_size);
  SET(server_max_async_queries);
  SET(server_num_issue_query_threads);
  SET(offline_expected_qps);
  SET(sample_concatenate_permutation);
  SET(min_duration_ms);
  SET(max_duration_ms);
  SET(min_query_count);
  SET(max_query_count);
  SET(qsl_rng_seed);
  SET(sample_index_rng_seed);
  SET(schedule_rng_seed);
  SET(accuracy_log_rng_seed);
  SET(accuracy_log_probability);
  SET(accuracy_log_sampling_target);
  SET(test05);
  SET(test05_qsl_rng_seed);
  SET(test05_sample_index_rng_seed);
  SET(test05_schedule_rng_seed);
  SET(print_timestamps);
  SET(performance_issue_unique);
  SET(performance_issue_same);
  SET(performance_issue_same_index);
  SET(performance_sample_count_override);
  SetAccuracyCount(to, from.accuracy_sample_count_override, 0);
  SET(use_token_latencies);
  SET(server_ttft_latency);
  SET(server_tpot_latency);
  SET(infer_token_latencies);
  SET(token_latency_scaling_factor);
#undef SET
  return to;
}

mlperf::LogSettings Logs(const official_test &test) {
  mlperf::LogSettings logs;
  logs.log_output.outdir = test.out_dir;
  logs.log_output.prefix = test.prefix;
  logs.log_output.suffix = test.suffix;
  logs.enable_trace = test.enable_trace;
  return logs;
}

char *Start(uintptr_t run, const official_callbacks *calls, const official_test *test) {
  try {
    SUT sut(run, *calls, test->sut_name);
    QSL qsl(run, *calls, *test);
    mlperf::StartTest(&sut, &qsl, Settings(test->settings), Logs(*test), test->audit_config);
    return nullptr;
  } catch (const std::exception &e) {
    return strdup(e.what());
  } catch (...) {
    return strdup("an unknown exception");
  }
}

mlperf::QuerySampleResponse *Responses(official_response *r) {
  return reinterpret_cast<mlperf::QuerySampleResponse *>(r);
}

void Complete(official_response *r, size_t count) { mlperf::QuerySamplesComplete(Responses(r), count); }
void FirstTokens(official_response *r, size_t count) { mlperf::FirstTokenComplete(Responses(r), count); }
void IssueThread() { mlperf::RegisterIssueQueryThread(); }
void Abandon() { mlperf::AbortTest(); }

const official_loadgen library = {kBuild, Start, Complete, FirstTokens, IssueThread, Abandon};

}  // namespace

const official_loadgen *plumbline_official_loadgen(int abi) { return abi == OFFICIAL_ABI ? &library : nullptr; }
