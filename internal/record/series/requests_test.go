package series

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

const second = int64(1e9)

// asked returns a request that is due and sent at a time, with tokens at intervals of a tenth of a second, half a
// second later.
func asked(due int64, prompt int64, tokens int) metrics.Request {
	r := metrics.Request{Due: due, Sent: due, Status: metrics.OK, Usage: metrics.NoUsage(),
		Retokenized: metrics.Unknown, AskedIn: 100, AskedOut: metrics.Unknown}
	r.Usage.Prompt = prompt
	r.End = due + second/2
	for k := range tokens {
		r.End = due + second/2 + int64(k)*second/10
		r.Events.Add(metrics.StreamEvent{At: r.End, Kind: metrics.Content, Text: true, IDs: 1})
	}
	return r
}

// TestOfRequests checks the measurements over time. Failed requests count as outstanding, and warm-up requests are
// excluded.
func TestOfRequests(t *testing.T) {
	warm, failed := asked(-second, 9, 5), asked(second, 500, 0)
	warm.WarmUp, failed.Status, failed.End = true, "http_429", 3*second
	early := asked(0, 30, 11) // its user sent it before the measurement began
	early.Due = -1000
	all := []metrics.Request{warm, early, asked(second/2, 10, 11), failed, asked(2*second, 20, 21)}
	f := FromRequests(all, metrics.FigureRules{}, time.Unix(0, 0))
	told := CollectedSeries{Name: "power", Title: "meter", Unit: "W", T: []int64{-5, 5, 9}, V: []float64{1, math.NaN(), 2}}
	f.Collected = []CollectedSeries{told.Thinned()}
	if f.Samples != 4 || f.Unanswered != 1 || f.Duration != 4*second+second/2 {
		t.Errorf("%d samples, %d unanswered, in %d ns", f.Samples, f.Unanswered, f.Duration)
	}
	if h := f.Histogram(metric.TTFT); h == nil || h.Count != 3 || h.Max != second/2+1000 {
		t.Errorf("times to the first token %+v", h)
	}
	at := func(counts []int64, seconds float64) int64 { return counts[int64(seconds*1e9)/f.Rates.Step] }
	for _, c := range []struct {
		at   float64
		want int64
	}{{.2, 1}, {.8, 2}, {1.2, 3}, {1.9, 2}, {2.5, 2}, {3.5, 1}} {
		if got := at(f.Rates.Outstanding, c.at); got != c.want {
			t.Errorf("%d under way after %g s, want %d", got, c.at, c.want)
		}
	}
	sum := func(counts []int64, from, to float64) (n int64) {
		for k := int64(from*1e9) / f.Rates.Step; k < min(int64(to*1e9)/f.Rates.Step, int64(len(counts))); k++ {
			n += counts[k]
		}
		return n
	}
	if n := sum(f.Rates.Streamed, 2.45, 3.45); n != 10 {
		t.Errorf("%d tokens came in a second of ten", n)
	}
	if n, whole := sum(f.Rates.Streamed, 0, 9), sum(f.Rates.Tokens, 0, 9); n != 43 || whole != 43 {
		t.Errorf("%d tokens came, %d of answers, want 43", n, whole)
	}
	l := f.Lengths
	if l == nil || l.Of != 3 || !slices.Equal(l.Prompt, []int64{10, 20, 30}) || l.Asked || l.Prompts.From != 10 ||
		l.Answers.From != 11 || l.Answers.Count[0] != 2 {
		t.Errorf("lengths %+v", l)
	}
	if v := f.Collected[0].V; !slices.Equal(v, []float64{1, 2}) {
		t.Errorf("told %v: a number that is none is left out", v)
	}
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := back.JSON(); !bytes.Equal(text, again) {
		t.Error("a file that is read and written differs")
	}
	for name, change := range map[string][2]string{
		"a value more": {`"v":[1,2]`, `"v":[1,2,3]`}, "a time back": {`"t_ns":[-5,9]`, `"t_ns":[-5,-9]`},
		"a length more":        {`"prompt":[10,20,30]`, `"prompt":[10,20,30,40]`},
		"lengths that go back": {`"prompt":[10,20,30]`, `"prompt":[10,30,20]`},
		"a step of lengths":    {`"from":11,"step":1`, `"from":11,"step":0`},
		"streamed":             {`"streamed":[`, `"streamed":[1,`},
	} {
		if changed := strings.Replace(string(text), change[0], change[1], 1); changed == string(text) {
			t.Errorf("%s: nothing changed", name)
		} else if _, err := Parse([]byte(changed)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUncountedRequests checks that, without token ids, tokens are distributed over events, and lengths are the
// requested ones.
func TestUncountedRequests(t *testing.T) {
	r := asked(0, metrics.Unknown, 0)
	for k := range int64(4) {
		r.Events.Add(metrics.StreamEvent{At: second + k*second, Kind: metrics.Content, Text: true})
	}
	r.Usage.Completion = 10
	f := FromRequests([]metrics.Request{r, r}, metrics.FigureRules{}, time.Time{})
	var came []int64
	for _, n := range f.Rates.Streamed {
		if n > 0 {
			came = append(came, n)
		}
	}
	if !slices.Equal(came, []int64{4, 6, 4, 6}) || f.Lengths == nil || !f.Lengths.Asked || f.Lengths.Prompt[0] != 100 {
		t.Errorf("%v came, lengths %+v", came, f.Lengths)
	}
	if f := FromRequests(nil, metrics.FigureRules{}, time.Time{}); f.Samples != 0 || f.Lengths != nil {
		t.Errorf("of nothing: %+v", f)
	}
}

// TestToldIsThinned checks that a day of readings stays small and keeps its peak.
func TestToldIsThinned(t *testing.T) {
	var told CollectedSeries
	for k := range int64(86_400) {
		told.T, told.V = append(told.T, k*second), append(told.V, float64(k%7))
	}
	told.V[4321] = 99
	thin := told.Thinned().Since(second)
	if len(thin.T) > maxCollected || slices.Max(thin.V) != 99 || thin.T[0] != -second || told.T[0] != 0 {
		t.Errorf("%d values from %d on, %g at most", len(thin.T), thin.T[0], slices.Max(thin.V))
	}
}
