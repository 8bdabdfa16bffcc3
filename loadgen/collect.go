package loadgen

// collect hands over what a series recorded, all samples of which are answered. Nothing is copied.
func (x *issuer) collect(p *series) {
	samples := x.rec.Issued()
	p.Start = x.clock.Wall()
	p.Queries = int(samples / p.SamplesPerQuery)
	p.Scheduled, p.Issued = x.scheduled[:p.Queries], x.issued[:p.Queries]
	p.Done = x.rec.Times(samples)
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
	for i := range p.Done {
		p.Done[i] = x.rec.Done(uint64(i))
		if p.Done[i] == 0 {
			p.Done[i] = -1
		}
	}
}
