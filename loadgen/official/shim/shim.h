// The C interface of the library that `make official-loadgen` builds from the official LoadGen's sources. The harness
// opens that library at run time and gets everything through one function, plumbline_official_loadgen.
#ifndef PLUMBLINE_OFFICIAL_SHIM_H_
#define PLUMBLINE_OFFICIAL_SHIM_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// OFFICIAL_ABI changes with this file: a library of another one is refused.
#define OFFICIAL_ABI 1

// official_settings are the LoadGen's TestSettings, field by field under their names there.
typedef struct {
  int64_t scenario, mode;
  double single_stream_expected_latency_ns, single_stream_target_latency_percentile;
  double multi_stream_expected_latency_ns, multi_stream_target_latency_percentile;
  uint64_t multi_stream_samples_per_query;
  double server_target_qps;
  uint64_t server_target_latency_ns;
  double server_target_latency_percentile;
  int64_t server_coalesce_queries, server_find_peak_qps_decimals_of_precision;
  double server_find_peak_qps_boundary_step_size;
  uint64_t server_max_async_queries, server_num_issue_query_threads;
  double offline_expected_qps;
  int64_t sample_concatenate_permutation;
  uint64_t min_duration_ms, max_duration_ms, min_query_count, max_query_count;
  uint64_t qsl_rng_seed, sample_index_rng_seed, schedule_rng_seed, accuracy_log_rng_seed;
  double accuracy_log_probability;
  uint64_t accuracy_log_sampling_target;
  int64_t test05;
  uint64_t test05_qsl_rng_seed, test05_sample_index_rng_seed, test05_schedule_rng_seed;
  int64_t print_timestamps, performance_issue_unique, performance_issue_same;
  uint64_t performance_issue_same_index, performance_sample_count_override, accuracy_sample_count_override;
  int64_t use_token_latencies;
  uint64_t server_ttft_latency, server_tpot_latency;
  int64_t infer_token_latencies;
  uint64_t token_latency_scaling_factor;
} official_settings;

// official_test is one StartTest. Strings end with 0 and are read before it returns.
typedef struct {
  official_settings settings;
  uint64_t total_samples, performance_samples;
  const char *sut_name, *qsl_name;
  const char *out_dir, *prefix, *suffix;
  int64_t enable_trace;
  const char *audit_config;  // its path; one that does not exist: no audit
} official_test;

// official_sample and official_response are laid out as the LoadGen's QuerySample and QuerySampleResponse.
typedef struct {
  uintptr_t id;
  size_t index;
} official_sample;

typedef struct {
  uintptr_t id, data;
  size_t size;
  int64_t n_tokens;
} official_response;

// official_callbacks are the SUT and the QSL. run is what start was given.
typedef struct {
  void (*issue)(uintptr_t run, official_sample *samples, size_t count);
  void (*flush)(uintptr_t run);
  void (*load)(uintptr_t run, size_t *indices, size_t count);
  void (*unload)(uintptr_t run, size_t *indices, size_t count);
} official_callbacks;

// official_loadgen is the library.
typedef struct {
  // build says, as JSON, of which sources the library was made.
  const char *build;
  // start runs a test; NULL, or what went wrong, to be freed by the caller.
  char *(*start)(uintptr_t run, const official_callbacks *calls, const official_test *test);
  void (*complete)(official_response *responses, size_t count);
  void (*first_tokens)(official_response *responses, size_t count);
  // issue_thread lends the calling thread to the test, until it ends.
  void (*issue_thread)(void);
  // abandon ends the logs of a test that will not go on.
  void (*abandon)(void);
} official_loadgen;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const official_loadgen *plumbline_official_loadgen(int abi);

#ifdef __cplusplus
}
#endif
#endif
