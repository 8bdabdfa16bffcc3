package series

// SelectPoints selects up to maxPoints of n points, ascending in x, so that a line through them looks like a line
// through all points. It uses the largest triangles of three buckets (LTTB; S. Steinarsson, Downsampling Time Series
// for Visual Representation, 2013), and adds the highest point of each bucket, so that no peak is lost. It returns the
// points' numbers, ascending, or all numbers if n does not exceed maxPoints. maxPoints must be at least 6.
func SelectPoints(n, most int, at func(i int) (x, y float64)) []int {
	if n <= most {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	buckets := (most - 2) / 2
	edge := func(b int) int { return 1 + int(int64(b)*int64(n-2)/int64(buckets)) }
	chosen := []int{0}
	for b := range buckets {
		from, to := edge(b), edge(b+1)
		next := [2]int{to, n}
		if b+1 < buckets {
			next[1] = edge(b + 2)
		}
		largest, highest := pickPoints(from, to, chosen[len(chosen)-1], next, at)
		chosen = append(chosen, min(largest, highest))
		if largest != highest {
			chosen = append(chosen, max(largest, highest))
		}
	}
	return append(chosen, n-1)
}

// pickPoints returns two points between from and to: the point with the largest triangle with the last selected point
// and the middle of the next bucket, and the highest point.
func pickPoints(from, to, last int, next [2]int, at func(i int) (x, y float64)) (largest, highest int) {
	ax, ay := at(last)
	cx, cy := meanPoint(next[0], next[1], at)
	most, top := -1.0, 0.0
	largest, highest = from, from
	for i := from; i < to; i++ {
		x, y := at(i)
		area := (ax-cx)*(y-ay) - (ax-x)*(cy-ay)
		if area = max(area, -area); area > most {
			most, largest = area, i
		}
		if i == from || y > top {
			top, highest = y, i
		}
	}
	return largest, highest
}

// meanPoint returns the mean of points.
func meanPoint(from, to int, at func(i int) (x, y float64)) (mx, my float64) {
	for i := from; i < to; i++ {
		x, y := at(i)
		mx, my = mx+x, my+y
	}
	n := float64(max(1, to-from))
	return mx / n, my / n
}
