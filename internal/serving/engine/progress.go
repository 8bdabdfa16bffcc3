package engine

import "sync/atomic"

// PointProgress is the progress of a measurement. Any goroutine may read it.
type PointProgress struct {
	warm, sent, ended, failed, underWay, tokens atomic.Int64
}

// RequestCounts contains numbers of requests.
type RequestCounts struct {
	WarmUp      int64 // sent for warm-up; the other counts exclude it except UnderWay
	Sent        int64
	Ended       int64 // including failed requests
	Failed      int64
	UnderWay    int64 // in flight now, including warm-up requests
	TokenEvents int64 // of the answers that ended
}

// Now returns the counts so far.
func (p *PointProgress) Now() RequestCounts {
	return RequestCounts{
		WarmUp: p.warm.Load(), Ended: p.ended.Load(), Failed: p.failed.Load(), Sent: p.sent.Load(),
		UnderWay: p.underWay.Load(), TokenEvents: p.tokens.Load(),
	}
}
