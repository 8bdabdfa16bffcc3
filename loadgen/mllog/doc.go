// Package mllog writes and reads the four log files of a LoadGen run, in the official byte layouts.
//
//   - mlperf_log_detail.txt: one entry per line after ":::MLLOG ", a JSON object but for its strings, which are not
//     escaped, and numbers that are not finite (nan). [DetailWriter], [DetailReader].
//   - mlperf_log_summary.txt: text for people; the verdict, the metrics, the settings. [WriteSummary], [ReadSummary].
//   - mlperf_log_accuracy.json: a list with one object per response, the payload in hexadecimal; gigabytes for large
//     outputs, so it is written and read as a stream. [AccuracyWriter], [AccuracyReader].
//   - mlperf_log_trace.json: events for chrome://tracing; empty without tracing. [TraceWriter], [TraceReader].
//
// The official tools read the writers' output. The readers take the logs of both programs, and say in errors which line
// or byte is wrong; all such errors are [ErrFormat].
//
// In: layouts. Out: what the values mean, which entries a run makes and in which order: package loadgen.
package mllog

// The names of the four files, where nothing else is asked for.
const (
	SummaryFile  = "mlperf_log_summary.txt"
	DetailFile   = "mlperf_log_detail.txt"
	AccuracyFile = "mlperf_log_accuracy.json"
	TraceFile    = "mlperf_log_trace.json"
)
