// Package mllog writes and reads the four log files of a LoadGen run, in the official byte layouts.
//
//   - mlperf_log_detail.txt: one entry per line after ":::MLLOG ", a JSON object except that strings are not escaped
//     and numbers may be non-finite (nan). [DetailWriter], [DetailReader].
//   - mlperf_log_summary.txt: text for people; the verdict, the metrics, the settings. [WriteSummary], [ReadSummary].
//   - mlperf_log_accuracy.json: a list with one object per response, the payload in hexadecimal. It can have gigabytes,
//     so it is written and read as a stream. [AccuracyWriter], [AccuracyReader].
//   - mlperf_log_trace.json: events for chrome://tracing; empty without tracing. [TraceWriter], [TraceReader].
//
// The official tools can read the writers' output. The readers accept the logs of both programs. Their errors name the
// line or byte and are all [ErrFormat].
//
// In scope: layouts. Out of scope: the meaning of values, and the entries of a run and their order (package loadgen).
package mllog

// The default names of the four files.
const (
	SummaryFile  = "mlperf_log_summary.txt"
	DetailFile   = "mlperf_log_detail.txt"
	AccuracyFile = "mlperf_log_accuracy.json"
	TraceFile    = "mlperf_log_trace.json"
)
