package loadgen

import "github.com/plumbline-ml/plumbline/loadgen/internal/record"

// collect hands over what a series recorded, all samples of which are answered. Nothing is copied.
func (x *issuer) collect(p *series) {
	samples := x.rec.Issued()
	p.Start = x.clock.Wall()
	p.Queries = int(samples / p.SamplesPerQuery)
	p.Scheduled, p.Issued = x.scheduled[:p.Queries], x.issued[:p.Queries]
	p.Done = x.rec.Times(samples)
	p.FirstToken, p.Tokens = x.rec.FirstTokenTimes(samples), x.rec.TokenCounts(samples)
}

// salvage copies what a series that ended early recorded; -1 stands for samples without an answer. The SUT may still
// be answering, and an abandoned call into it may still return.
func (x *issuer) salvage(p *series) {
	samples := x.rec.Issued()
	if samples == 0 { // else the clock and the times of what is issued were written before
		return
	}
	p.Start = x.clock.Wall()
	p.Queries = int(samples / p.SamplesPerQuery)
	p.Scheduled, p.Issued = x.scheduled[:p.Queries], x.issued[:p.Queries]
	p.Done = make([]int64, samples)
	if x.kind != record.Latencies {
		p.Tokens = make([]uint32, samples)
	}
	if x.kind == record.FirstTokens {
		p.FirstToken = make([]int64, samples)
	}
	for i := range p.Done {
		x.copySample(p, i)
	}
}

// copySample copies what is known of a sample.
func (x *issuer) copySample(p *series, i int) {
	done := x.rec.Done(uint64(i))
	first, n := x.rec.TokensOf(uint64(i))
	if done == 0 || p.Tokens != nil && n == 0 { // the answer may be under way
		done = -1
	}
	p.Done[i] = done
	if p.Tokens != nil {
		p.Tokens[i] = n
	}
	if p.FirstToken != nil {
		p.FirstToken[i] = first
	}
}
