package result

// KeyOfflineFromSingleStream is the key of the number in a SingleStream log that gives an inferred Offline result.
const KeyOfflineFromSingleStream = "result_qps_without_loadgen_overhead"

// Keys of the 99th percentiles in nanoseconds that are compared with the token limits.
const (
	KeyFirstToken = "result_first_token_99.00_percentile_latency_ns"
	KeyPerToken   = "result_time_per_output_token_99.00_percentile_ns"
)

// NetworkSUT must be part of the name of a system behind a network.
const NetworkSUT = "Network SUT"
