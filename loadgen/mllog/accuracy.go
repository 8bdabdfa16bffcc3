// Package mllog writes and reads the four log files: mlperf_log_summary.txt, mlperf_log_detail.txt,
// mlperf_log_accuracy.json and mlperf_log_trace.json, in the official byte layouts.
package mllog

// AccuracyEntry is one response of the accuracy log.
type AccuracyEntry struct {
	SeqID      uint64
	QSLIndex   uint64
	Data       []byte // the payload; valid until the next entry is read
	TokenData  []byte // first token's bytes; nil where the log has none
	TokenCount int64  // -1 where the log has none
}
