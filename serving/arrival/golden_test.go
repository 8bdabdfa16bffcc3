package arrival

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenCase is a file of golden/serving/schedules.
type goldenCase struct {
	Flags     string
	Count     *int
	Exact     []int64
	Tolerance int64 `json:"tolerance_ns"`
	Rate      float64
	Shape     float64
	TraceMS   []int64 `json:"trace_ms"`
	Order     []int
	Points    any
}

// flagsOf parses the load flags of a command line.
func flagsOf(t *testing.T, line string) (f LoadFlags) {
	t.Helper()
	words := strings.Fields(line)
	next := func() (word string) {
		word, words = words[0], words[1:]
		return word
	}
	texts := map[string]*string{
		"--rate": &f.Rate, "--concurrency": &f.Concurrency, "--arrival": &f.Arrival, "--burstiness": &f.Burstiness,
		"--think": &f.Think, "--ramp": &f.Ramp, "--stages": &f.Stages, "--speed": &f.Speed, "--from": &f.From,
		"--to": &f.To, "--turns": &f.Turns, "--requests": &f.Requests, "--duration": &f.Duration, "--data": new(string),
	}
	for len(words) > 0 {
		switch w := next(); w {
		case "--max":
			f.Max = true
		case "--replay":
			f.Replay = true
		case "--seed":
			n, err := strconv.ParseUint(next(), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			f.Seed = n
		default:
			text, ok := texts[w]
			if !ok {
				t.Fatalf("the case has a flag that this test does not know: %s", w)
			}
			*text = next()
		}
	}
	return f
}

func TestGoldenSchedules(t *testing.T) {
	golden.Each(t, "serving/schedules/*.json", func(t *testing.T, path string) {
		var c goldenCase
		golden.ReadJSON(t, path, &c)
		switch want := c.Points.(type) {
		case map[string]any:
			got := RatesBetween(want["synchronous"].(float64), want["maximum"].(float64), len(want["rates"].([]any)))
			same(t, got, want["rates"].([]any))
		case []any:
			ps, err := flagsOf(t, c.Flags).ParsePatterns()
			if err != nil {
				t.Fatal(err)
			}
			var got []float64
			for _, p := range ps {
				got = append(got, p.Value())
			}
			same(t, got, want)
		default:
			c.check(t, filepath.Base(path))
		}
	})
}

func same(t *testing.T, got []float64, want []any) {
	t.Helper()
	var w []float64
	for _, x := range want {
		w = append(w, x.(float64))
	}
	if !slices.Equal(got, w) {
		t.Errorf("points %v, want %v", got, w)
	}
}

// check compares the schedule with the case: exactly if the case is exact, and otherwise by its statistics, also for a
// hundred more seeds.
func (c goldenCase) check(t *testing.T, name string) {
	ps, err := flagsOf(t, c.Flags).ParsePatterns()
	if err != nil || len(ps) != 1 {
		t.Fatalf("%d patterns, error %v", len(ps), err)
	}
	p := ps[0]
	if p.Kind == Maximum && p.Requests == 0 && c.Count != nil {
		p.Requests = *c.Count
	}
	stamps := make([]time.Duration, len(c.TraceMS))
	for i, ms := range c.TraceMS {
		stamps[i] = time.Duration(ms) * time.Millisecond
	}
	seeds := 1
	if c.Shape > 0 {
		seeds = 101
	}
	for i := range seeds {
		s, err := p.MakeSchedule(0, stamps)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range c.faults(s) {
			t.Errorf("%s, seed %d: %s", name, p.Seed, fault)
		}
		p.Seed = uint64(1000*i + 77)
	}
}

func (c goldenCase) faults(s Schedule) (bad []string) {
	add := func(ok bool, text string) {
		if !ok {
			bad = append(bad, text)
		}
	}
	add(slices.IsSorted(s.Due), "times go back")
	add(len(s.Due) > 0 && s.Due[0] == 0, "the first is not due at 0")
	add(c.Count == nil || len(s.Due) == *c.Count, strconv.Itoa(len(s.Due))+" requests")
	if c.Order != nil {
		add(slices.Equal(c.Order, s.Rows) && len(s.Notes) == 1, "another order, or no note")
	}
	for i, want := range c.Exact {
		if i < len(s.Due) && max(s.Due[i]-want, want-s.Due[i]) > c.Tolerance {
			add(false, "request "+strconv.Itoa(i)+" is due at "+strconv.FormatInt(s.Due[i], 10)+", want "+
				strconv.FormatInt(want, 10))
			break
		}
	}
	if c.Shape > 0 {
		bad = append(bad, scatter(s.Due, c.Rate, c.Shape)...)
	}
	return bad
}

// scatter checks gaps against a gamma distribution: the mean, the coefficient of variation, the Kolmogorov-Smirnov
// distance, and the correlation of consecutive gaps. Each check fails for correct gaps with p < 1e-4.
func scatter(due []int64, rate, shape float64) (bad []string) {
	n := len(due) - 1
	gaps := make([]float64, n)
	var sum, squares float64
	for i := range gaps {
		gaps[i] = float64(due[i+1]-due[i]) / 1e9
		sum += gaps[i]
	}
	mean, got := 1/rate, sum/float64(n)
	for _, g := range gaps {
		squares += (g - got) * (g - got)
	}
	if math.Abs(got-mean) > 4*mean/math.Sqrt(shape*float64(n)) {
		bad = append(bad, "the mean gap is wrong")
	}
	cv, want := math.Sqrt(squares/float64(n))/got, 1/math.Sqrt(shape)
	if math.Abs(cv-want) > 5*want*math.Sqrt((1+3/shape)/float64(n)) {
		bad = append(bad, "the coefficient of variation is wrong")
	}
	var together float64
	for i := range n - 1 {
		together += (gaps[i] - got) * (gaps[i+1] - got)
	}
	if math.Abs(together/squares) > 4.2/math.Sqrt(float64(n)) {
		bad = append(bad, "gaps follow each other")
	}
	slices.Sort(gaps)
	var distance float64
	for i, g := range gaps {
		u := gammaCDF(g*shape/mean, shape)
		distance = max(distance, float64(i+1)/float64(n)-u, u-float64(i)/float64(n))
	}
	if distance*math.Sqrt(float64(n)) > 2.23 {
		bad = append(bad, "gaps are of another distribution")
	}
	return bad
}

// gammaCDF returns the regularised lower incomplete gamma function: a series and, from the mean on, Lentz's continued
// fraction.
func gammaCDF(x, k float64) float64 {
	if x <= 0 {
		return 0
	}
	lg, _ := math.Lgamma(k)
	front := math.Exp(-x + k*math.Log(x) - lg)
	if x < k+1 {
		sum, term := 1/k, 1/k
		for n := k; math.Abs(term) > 1e-15*sum; {
			n++
			term *= x / n
			sum += term
		}
		return sum * front
	}
	b := x + 1 - k
	c, d := 1e300, 1/b
	h := d
	for i := 1.0; i < 10000; i++ {
		a := -i * (i - k)
		b += 2
		if d = a*d + b; d == 0 {
			d = 1e-300
		}
		d = 1 / d
		c = b + a/c
		h *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return 1 - h*front
}

// The statistics detect wrong schedules: with twice the shape, and with 1.5 times the rate.
func TestScatterFindsWrongSchedules(t *testing.T) {
	p := Pattern{Kind: Rate, Arrival: Gamma, PerSecond: 10, Burstiness: 2, Requests: 4000, Seed: 1}
	s, err := p.MakeSchedule(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bad := scatter(s.Due, 10, 2); bad != nil {
		t.Errorf("right ones: %q", bad)
	}
	if scatter(s.Due, 10, 4) == nil || scatter(s.Due, 15, 2) == nil {
		t.Error("wrong ones are not found")
	}
}
