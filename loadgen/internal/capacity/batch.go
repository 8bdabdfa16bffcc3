package capacity

// Unbatch spreads answers that came together over the time since the previous answers, and returns the mean batch size.
// It is for systems that process batches. The model has no batches and would see one long query and many that need no
// time. A mean size near 1 means that the system has no batches.
func Unbatch(arrive, done []int64) (spread []int64, size float64) {
	spread = append([]int64(nil), done...)
	order := orderByTime(done)
	batches := 0
	last := int64(0)
	for len(order) > 0 {
		n := 0
		for n < len(order) && done[order[n]] == done[order[0]] {
			n++
		}
		end := done[order[0]]
		begin := max(last, arrive[order[0]]) // the stable order puts the first arrival first
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
