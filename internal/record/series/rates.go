package series

import "slices"

// looks is the number of times per step at which outstanding samples are counted.
const looks = 32

// rates counts queries, samples and tokens up to a time.
func rates(src Source, end int64) Rates {
	step := end/maxSteps + 1
	n := end/step + 1
	r := Rates{Step: step, Queries: make([]int64, n), Samples: make([]int64, n), Outstanding: make([]int64, n)}
	if src.HasTokens() {
		r.Tokens = make([]int64, n)
	}
	changes := make([]int64, n*looks)
	part := max(1, (step+looks-1)/looks)
	look := func(at int64) int64 { return at/step*looks + min(at%step/part, looks-1) }
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
	r.outstanding(changes)
	return r
}

// outstanding sums the changes between the times of counting.
func (r *Rates) outstanding(changes []int64) {
	now := int64(0)
	for k := range r.Outstanding {
		seen := changes[k*looks : (k+1)*looks]
		for i, change := range seen {
			now += change
			seen[i] = now
		}
		r.Outstanding[k] = max(0, slices.Max(seen))
	}
}
