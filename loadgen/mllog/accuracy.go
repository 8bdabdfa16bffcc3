package mllog

// AccuracyEntry is one response of the accuracy log.
type AccuracyEntry struct {
	SeqID      uint64
	QSLIndex   uint64
	Data       []byte // the payload; valid until the next entry is read
	TokenData  []byte // first token's bytes; nil where the log has none
	TokenCount int64  // -1 where the log has none
}
