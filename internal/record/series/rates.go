package series

import "slices"

// countsPerStep is the number of times per step at which outstanding samples are counted.
const countsPerStep = 32

// countRates counts queries, samples and tokens up to a time.
func countRates(src Source, end int64) Rates {
	step := end/maxSteps + 1
	n := end/step + 1
	r := Rates{Step: step, Queries: make([]int64, n), Samples: make([]int64, n), Outstanding: make([]int64, n)}
	if src.HasTokens() {
		r.Tokens = make([]int64, n)
	}
	changes := make([]int64, n*countsPerStep)
	part := max(1, (step+countsPerStep-1)/countsPerStep)
	look := func(at int64) int64 { return at/step*countsPerStep + min(at%step/part, countsPerStep-1) }
	per := max(1, src.SamplesPerQuery())
	for i := range src.Samples() {
		s := src.Slot(i)
		if i%per == 0 {
			r.Queries[s.Issued/step]++
		}
		changes[look(s.Issued)]++
		if s.Done < 0 {
			continue
		}
		changes[look(s.Done)]--
		r.Samples[s.Done/step]++
		if r.Tokens != nil {
			r.Tokens[s.Done/step] += int64(s.Tokens)
		}
	}
	r.setOutstanding(changes)
	return r
}

// setOutstanding sums the changes between the times of counting.
func (r *Rates) setOutstanding(changes []int64) {
	now := int64(0)
	for k := range r.Outstanding {
		seen := changes[k*countsPerStep : (k+1)*countsPerStep]
		for i, change := range seen {
			now += change
			seen[i] = now
		}
		r.Outstanding[k] = max(0, slices.Max(seen))
	}
}
