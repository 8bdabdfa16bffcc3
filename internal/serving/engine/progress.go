package engine

import "sync/atomic"

// PointProgress is the progress of a measurement. Any goroutine may read it.
type PointProgress struct {
	warm, sent, ended, failed, underWay, tokens atomic.Int64
}

// RequestCounts contains numbers of requests.
type RequestCounts struct {
	WarmUp      int64 // sent to warm up; the others are of the measurement
	Sent        int64
	Ended       int64 // of those sent, failed ones too
	Failed      int64
	UnderWay    int64 // now, those that warm up too
	TokenEvents int64 // of answers that ended
}

// Now are the counts so far.
func (p *PointProgress) Now() RequestCounts {
	return RequestCounts{
		WarmUp: p.warm.Load(), Ended: p.ended.Load(), Failed: p.failed.Load(), Sent: p.sent.Load(),
		UnderWay: p.underWay.Load(), TokenEvents: p.tokens.Load(),
	}
}
