package capacity

// Unbatch spreads the answers that came together, of a system that works on batches, over the time since the answers
// before them, and returns the mean size of a batch. (The model has no batches: it would take each for one long query
// and many that need no time.) A system whose mean is near 1 has no batches.
func Unbatch(arrive, done []int64) (spread []int64, size float64) {
	spread = append([]int64(nil), done...)
	order := byTime(done)
	batches := 0
	last := int64(0)
	for len(order) > 0 {
		n := 0
		for n < len(order) && done[order[n]] == done[order[0]] {
			n++
		}
		end := done[order[0]]
		begin := max(last, arrive[order[0]]) // the stable order has the first to arrive first
		for k, i := range order[:n] {
			at := begin + int64(float64(end-begin)*float64(k+1)/float64(n))
			spread[i] = max(at, arrive[i])
		}
		last = end
		order = order[n:]
		batches++
	}
	return spread, float64(len(done)) / float64(batches)
}
