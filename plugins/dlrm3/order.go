package dlrm3

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// requestID identifies a request: the period after the training, and the index of the request in it.
type requestID struct{ period, request int32 }

// requestOrder is the order in which requests are sent, as in the reference.
type requestOrder struct {
	requests      []requestID // every request once, by period
	periodStarts  []int       // start of each period in requests, and the end of the last one
	repetitions   int         // number of times that each period is sent before the next one starts
	extraRequests int         // number of requests of the last period that are sent once more at the end
}

// newOrder shuffles a share of each period's requests with one generator. Each request is sent once.
func newOrder(requests []int, share float64, seed int64) (requestOrder, error) {
	random := mt19937.NewPython(seed)
	o := requestOrder{periodStarts: []int{0}, repetitions: 1}
	for p, n := range requests {
		begin := len(o.requests)
		for r := range int(float64(n) * share) {
			o.requests = append(o.requests, requestID{int32(p), int32(r)})
		}
		own := o.requests[begin:]
		random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		if len(own) > 0 {
			o.periodStarts = append(o.periodStarts, len(o.requests))
		}
	}
	if len(o.requests) == 0 {
		return o, fmt.Errorf("a share of %v leaves no request of the %d of the first period, and none of the others", share,
			requests[0])
	}
	return o, nil
}

// repeatFor sets the repetitions so that there are enough requests for the queries. 0 queries: each request is sent
// once.
func (o *requestOrder) repeatFor(queries int) {
	if queries > len(o.requests) {
		o.repetitions, o.extraRequests = queries/len(o.requests), queries%len(o.requests)
	}
}

// keepFirst keeps only the first n requests.
func (o *requestOrder) keepFirst(n int) {
	o.requests = o.requests[:n]
	for i, start := range o.periodStarts {
		if start >= n {
			o.periodStarts = append(o.periodStarts[:i:i], n)
			return
		}
	}
}

// queryOrder returns the indices into requests in the order of the queries.
func (o *requestOrder) queryOrder() (all []int64) {
	round := func(from, n int) {
		for i := range n {
			all = append(all, int64(from+i))
		}
	}
	last := len(o.periodStarts) - 2
	for p := range last + 1 {
		from, end := o.periodStarts[p], o.periodStarts[p+1]
		for range o.repetitions {
			round(from, end-from)
		}
		if p < last {
			continue
		}
		for rest := o.extraRequests; rest > 0; rest -= end - from {
			round(from, min(rest, end-from))
		}
	}
	return all
}
