package dlrm3

import (
	"fmt"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// orderCase is a sampler of the reference.
type orderCase struct {
	Name       string
	Seed       int64
	Requests   []int
	Percentage float64 `json:"dataset_percentage"`
	Queries    int
	Total      int
	Repeats    int
	Remaining  int
	RunOrder   [][]int32 `json:"run_order"`
	Batches    []int
	Served     []any
}

// TestGoldenOrders: the reference's order, and what it serves, where it loses nothing: a batch longer than a period
// loses requests there, and a period without requests stops it.
func TestGoldenOrders(t *testing.T) {
	golden.Each(t, "dlrm-v3/order.json", func(t *testing.T, path string) {
		var cases []orderCase
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			o, err := newOrder(c.Requests, c.Percentage, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			o.repeatFor(c.Queries)
			var want []requestID
			for p, order := range c.RunOrder {
				for _, r := range order {
					want = append(want, requestID{int32(p), r})
				}
			}
			if !slices.Equal(o.requests, want) || o.repetitions != c.Repeats || c.Queries > c.Total &&
				o.extraRequests != c.Remaining {
				t.Errorf("%s: %d times %v and %d, want %d times %v and %d", c.Name, o.repetitions, o.requests, o.extraRequests,
					c.Repeats, want,
					c.Remaining)
			}
			if got := len(o.queryOrder()); got != max(c.Queries, c.Total) {
				t.Errorf("%s: an order of %d, want %d", c.Name, got, max(c.Queries, c.Total))
			}
			checkServed(t, c, o)
		}
	})
}

// checkServed compares the requests of each batch that the reference served whole with those that are handed out.
func checkServed(t *testing.T, c orderCase, o requestOrder) {
	t.Helper()
	numbers, at := o.queryOrder(), 0
	for b, size := range c.Batches {
		if at+size > len(numbers) {
			return // the reference was asked past its end
		}
		var want, got []requestID
		parts, _ := c.Served[b].([]any)
		for _, part := range parts {
			pair := part.([]any)
			for _, r := range pair[1].([]any) {
				want = append(want, requestID{int32(pair[0].(float64)), int32(r.(float64))})
			}
		}
		for _, i := range numbers[at : at+size] {
			got = append(got, o.requests[i])
		}
		if at += size; len(want) < size {
			return // it lost requests, or stopped: what follows is shifted
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: batch %d is of %v, want %v", c.Name, b, got, want)
		}
	}
}

// TestRestIsLongerThanThePeriod: rounds of the last period until all queries have asked.
func TestRestIsLongerThanThePeriod(t *testing.T) {
	o, err := newOrder([]int{3, 2}, 1, 123)
	if err != nil {
		t.Fatal(err)
	}
	o.repeatFor(14) // twice each, and 4 more of the last one
	if got := fmt.Sprint(o.queryOrder()); got != "[0 1 2 0 1 2 3 4 3 4 3 4 3 4]" {
		t.Errorf("%v", got)
	}
	o, err = newOrder([]int{3, 2}, 1, 123)
	o.repeatFor(2) // fewer than there are: each once
	if got := fmt.Sprint(o.queryOrder()); err != nil || got != "[0 1 2 3 4]" {
		t.Errorf("%v, %v", got, err)
	}
	o.keepFirst(2)
	if got := fmt.Sprint(o.queryOrder()); got != "[0 1]" {
		t.Errorf("the first two: %v", got)
	}
	o.keepFirst(2)
	if _, err := newOrder([]int{3, 2}, 0.1, 123); err == nil {
		t.Error("no request is left, want an error")
	}
}
