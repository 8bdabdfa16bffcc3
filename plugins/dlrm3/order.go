package dlrm3

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// place is a request: of a period after the training, by its number in the data set.
type place struct{ period, request int32 }

// order is in which order the requests of the periods are asked, as in the reference.
type order struct {
	places  []place // each once, period by period
	starts  []int   // of periods in places, and their end
	repeats int     // rounds of a period before the next one begins
	rest    int     // requests of the last period behind its rounds
}

// newOrder shuffles a share of the requests of each period with one generator. Each is asked once.
func newOrder(requests []int, share float64, seed int64) (order, error) {
	random := mt19937.NewPython(seed)
	o := order{starts: []int{0}, repeats: 1}
	for p, n := range requests {
		begin := len(o.places)
		for r := range int(float64(n) * share) {
			o.places = append(o.places, place{int32(p), int32(r)})
		}
		own := o.places[begin:]
		random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		if len(own) > 0 {
			o.starts = append(o.starts, len(o.places))
		}
	}
	if len(o.places) == 0 {
		return o, fmt.Errorf("a share of %v leaves no request of the %d of the first period, and none of the others", share,
			requests[0])
	}
	return o, nil
}

// ask has so many queries ask the requests: each period several times, if they are more; 0: each request once.
func (o *order) ask(queries int) {
	if queries > len(o.places) {
		o.repeats, o.rest = queries/len(o.places), queries%len(o.places)
	}
}

// first leaves the first n requests.
func (o *order) first(n int) {
	o.places = o.places[:n]
	for i, start := range o.starts {
		if start >= n {
			o.starts = append(o.starts[:i:i], n)
			return
		}
	}
}

// numbers are those of the requests, as they are in places, in the order in which queries ask them.
func (o *order) numbers() (all []int64) {
	round := func(from, n int) {
		for i := range n {
			all = append(all, int64(from+i))
		}
	}
	last := len(o.starts) - 2
	for p := range last + 1 {
		from, end := o.starts[p], o.starts[p+1]
		for range o.repeats {
			round(from, end-from)
		}
		if p < last {
			continue
		}
		for rest := o.rest; rest > 0; rest -= end - from {
			round(from, min(rest, end-from))
		}
	}
	return all
}
