package loadgen

import "github.com/plumbline-ml/plumbline/loadgen/internal/record"

// collectSeries moves the records of a series to p. All samples must be answered. It copies them only if
// several lanes stopped at different points of the plan.
func (x *queryIssuer) collectSeries(p *testSeries) {
	samples := x.rec.Issued()
	p.Start = x.clock.Wall()
	p.Queries = int(samples / p.SamplesPerQuery)
	p.Numbers, p.Answered = x.scatteredQueries(samples), true
	p.Scheduled, p.Issued, p.Delays = pickQueries(x.scheduled, p), pickQueries(x.issued, p), pickQueries(x.delays, p)
	if p.Numbers == nil {
		p.Done, p.FirstToken, p.Tokens = x.rec.Times(samples), x.rec.FirstTokenTimes(samples), x.rec.TokenCounts(samples)
		return
	}
	x.copySamples(p)
}

// copyUnfinished copies the records of a series that ended early, with -1 for samples without an answer. The SUT may
// still be answering, and an abandoned call into it may still return.
func (x *queryIssuer) copyUnfinished(p *testSeries) {
	samples := x.rec.Issued()
	if samples == 0 { // otherwise the clock and the times of issued samples are already written
		return
	}
	p.Start = x.clock.Wall()
	p.Numbers = x.scatteredQueries(samples)
	if p.Numbers != nil {
		samples = uint64(len(p.Numbers))
	}
	p.Queries = int(samples / p.SamplesPerQuery)
	p.Scheduled, p.Issued, p.Delays = pickQueries(x.scheduled, p), pickQueries(x.issued, p), pickQueries(x.delays, p)
	x.copySamples(p)
}

// scatteredQueries lists the n issued queries if they are not the first n of the plan. Otherwise it returns nil.
func (x *queryIssuer) scatteredQueries(n uint64) []uint32 {
	if x.rec.IssuedFirst(n) {
		return nil
	}
	numbers := make([]uint32, 0, n)
	for q := range uint32(x.plan.Queries) {
		if x.rec.HasIssued(uint64(q)) {
			numbers = append(numbers, q)
		}
	}
	return numbers
}

// pickQueries returns the values of p's queries. It returns nil if values is nil.
func pickQueries[S ~[]E, E any](values S, p *testSeries) S {
	switch {
	case values == nil:
		return nil
	case p.Numbers == nil:
		return values[:p.Queries]
	}
	out := make(S, len(p.Numbers))
	for i, q := range p.Numbers {
		out[i] = values[q]
	}
	return out
}

// copySamples copies the records of the samples of p's queries.
func (x *queryIssuer) copySamples(p *testSeries) {
	n := p.Queries * int(p.SamplesPerQuery)
	p.Done = make([]int64, n)
	if x.recordKind != record.Latencies {
		p.Tokens = make([]uint32, n)
	}
	if x.recordKind == record.FirstTokens {
		p.FirstToken = make([]int64, n)
	}
	for i := range p.Done {
		x.copySample(p, i, p.sampleNumber(i))
	}
}

// copySample copies the record of a sample number to p's sample i.
func (x *queryIssuer) copySample(p *testSeries, i int, number uint64) {
	done := x.rec.Done(number)
	first, n := x.rec.TokensOf(number)
	if done == 0 || p.Tokens != nil && n == 0 { // the answer may be in progress
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
