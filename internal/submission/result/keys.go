package result

// KeyOfflineFromSingleStream is the number of a SingleStream log that stands for an Offline result.
const KeyOfflineFromSingleStream = "result_qps_without_loadgen_overhead"

// Keys of the 99th percentiles, in nanoseconds, that the limits on tokens are compared with.
const (
	KeyFirstToken = "result_first_token_99.00_percentile_latency_ns"
	KeyPerToken   = "result_time_per_output_token_99.00_percentile_ns"
)

// NetworkSUT is what the name of a system behind a network must hold.
const NetworkSUT = "Network SUT"
