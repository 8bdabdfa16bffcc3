package arrival

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestFaultsOfFlags(t *testing.T) {
	for _, c := range []struct {
		flags LoadFlags
		want  []string
	}{
		{LoadFlags{Rate: "0"}, []string{`--rate: "0" requests per second`, "1e-06 to 1e+07"}},
		{LoadFlags{Rate: "-3"}, []string{`"-3" requests per second`}},
		{LoadFlags{Rate: "NaN"}, []string{`"NaN" requests per second`}},
		{LoadFlags{Rate: "5,"}, []string{`"" requests per second`}},
		{LoadFlags{Concurrency: "0"}, []string{`--concurrency: "0" users`, "whole number from 1"}},
		{LoadFlags{Concurrency: "2.5"}, []string{`"2.5" users`}},
		{LoadFlags{Concurrency: "1..0"}, []string{`"0" users`}},
		{LoadFlags{Concurrency: "10..1"}, []string{`"10..1" goes down`, "1..10"}},
		{LoadFlags{Rate: "1..100/1"}, []string{"from 2 to"}},
		{LoadFlags{Rate: "1..100+0"}, []string{`the step of "1..100+0"`}},
		{LoadFlags{Rate: "5", Burstiness: "2"}, []string{"--burstiness is for --arrival gamma"}},
		{LoadFlags{Rate: "5", Arrival: "gamma"}, []string{"--burstiness is missing"}},
		{LoadFlags{Rate: "5", Arrival: "gama", Burstiness: "1"}, []string{`did you mean "gamma"`}},
		{LoadFlags{Rate: "5", Think: "2s"}, []string{"--think is for --concurrency"}},
		{LoadFlags{Rate: "5", Concurrency: "4", Think: "2s"}, []string{"--think is for --concurrency without a rate"}},
		{LoadFlags{Replay: true, Rate: "5"}, []string{"--replay and --rate"}},
		{LoadFlags{Rate: "5", Stages: "5:1m"}, []string{"--rate and --stages"}},
		{LoadFlags{Max: true, Concurrency: "4"}, []string{"--max and --concurrency"}},
		{LoadFlags{Concurrency: "4", Arrival: "constant"}, []string{"--arrival is for --rate"}},
		{LoadFlags{Rate: "1", Speed: "2", From: "1s", To: "2s"}, []string{"--speed is", "--from is", "--to is for --replay"}},
		{LoadFlags{Replay: true, From: "3s", To: "2s"}, []string{"want the end behind the beginning"}},
		{LoadFlags{Rate: "1", Ramp: "30s"}, []string{"FROM:TIME for a rate"}},
		{LoadFlags{Rate: "1", Ramp: "5:"}, []string{"--ramp : want a time above 0"}},
		{LoadFlags{Concurrency: "1", Ramp: "1:30s"}, []string{"TIME for users"}},
		{LoadFlags{Stages: "5:1m,20"}, []string{`"20" has no time`}},
		{LoadFlags{Stages: "0:1m"}, []string{"a rate above 0"}},
		{LoadFlags{Rate: "1", Requests: "0"}, []string{"--requests 0: want a whole number from 1"}},
		{LoadFlags{Rate: "1", Duration: "0s"}, []string{"--duration 0s: want a time above 0"}},
		{LoadFlags{Rate: "1", Duration: "60"}, []string{"--duration 60: want a time above 0"}},
		{LoadFlags{Rate: "1,2", Concurrency: "1,2"}, []string{"only one of them may be a list"}},
		{LoadFlags{Max: true, Turns: "all"}, []string{"--turns all is for"}},
		{LoadFlags{Rate: "1", Turns: "3"}, []string{"--turns 3: want first or all"}},
		{LoadFlags{Rate: "0", Requests: "x", Arrival: "uniform"}, []string{"--rate", "--requests x", "--arrival"}},
	} {
		ps, err := c.flags.ParsePatterns()
		if err == nil {
			t.Errorf("%+v: %d patterns, no error", c.flags, len(ps))
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: error %q, want %q", c.flags, err, want)
			}
		}
	}
}

func TestPoints(t *testing.T) {
	for _, c := range []struct {
		text  string
		whole bool
		want  []float64
	}{
		{"4", true, []float64{4}},
		{"4, 1,2,4", true, []float64{1, 2, 4}},
		{"1..256", true, []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}},
		{"3..20", true, []float64{3, 6, 12, 20}},
		{"5..5", true, []float64{5}},
		{"10..50+10", true, []float64{10, 20, 30, 40, 50}},
		{"0.1..0.3+0.1", false, []float64{0.1, 0.2, 0.3}},
		{"10..55+10", false, []float64{10, 20, 30, 40, 50}},
		{"1..4/8", true, []float64{1, 2, 3, 4}},
		{"1..1234/3", false, []float64{1, 35.1, 1234}},
		{"1..4,100", true, []float64{1, 2, 4, 100}},
	} {
		if got, err := ParseLoads(c.text, c.whole); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, error %v; want %v", c.text, got, err, c.want)
		}
	}
	if got := RatesBetween(30, 31, 6); got != nil {
		t.Errorf("a maximum below what one user gets: %v", got)
	}
}

// The schedule at a rate equals LoadGen's Server schedule, whatever limit ends it.
func TestPoissonIsLoadGens(t *testing.T) {
	want, err := loadgen.ServerArrivals(20, 9, 20_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]LoadFlags{
		"requests":             {Rate: "20", Requests: "5000"},
		"duration":             {Rate: "20", Duration: "100s"},
		"requests of both":     {Rate: "20", Duration: "100s", Requests: "100"},
		"duration of both":     {Rate: "20", Duration: "10s", Requests: "10000"},
		"nothing":              {Rate: "20"},
		"with a cap":           {Rate: "20", Concurrency: "3"},
		"nearly both the same": {Rate: "20", Duration: "100s", Requests: "2000"},
	} {
		f.Seed = 9
		ps, err := f.ParsePatterns()
		if err != nil {
			t.Fatal(err)
		}
		s, err := ps[0].MakeSchedule(0, nil)
		if err != nil || len(s.Due) < 50 || !slices.Equal(s.Due, want[:len(s.Due)]) {
			t.Errorf("%s: %d due times, error %v: not LoadGen's", name, len(s.Due), err)
			continue
		}
		next := want[len(s.Due)]
		switch p := ps[0]; {
		case p.Requests == 0 && p.Duration == 0:
			if last := s.Due[len(s.Due)-1]; next < int64(time.Minute) || last >= int64(time.Minute) {
				t.Errorf("%s: a minute asks for another end than %v", name, time.Duration(last))
			}
		case len(s.Due) != p.Requests && next < int64(p.Duration):
			t.Errorf("%s: it ends with neither limit, after %d", name, len(s.Due))
		}
	}
}

// A point without limits has a duration of one minute or 100 requests, whichever is later, and a maximum of ten
// minutes.
func TestDefaultEnds(t *testing.T) {
	for _, arrival := range []Arrival{Poisson, Constant} {
		for _, c := range []struct{ rate, least, most float64 }{{10, 520, 680}, {1, 100, 100}, {0.01, 1, 20}} {
			s, err := Pattern{Kind: Rate, Arrival: arrival, PerSecond: c.rate, Seed: 3}.MakeSchedule(0, nil)
			n := float64(len(s.Due))
			if err != nil || n < c.least || n > c.most || s.Due[len(s.Due)-1] >= int64(MostDuration) {
				t.Errorf("%s at %v/s: %d requests, error %v", arrival, c.rate, len(s.Due), err)
			}
		}
	}
}

// If the rate changes, the number of requests in each part equals the integral of the rate; Poisson arrivals vary.
func TestRatesThatChange(t *testing.T) {
	for _, arrival := range []string{"poisson", "constant"} {
		ps, err := LoadFlags{Stages: "5:1m,0:30s,20:1m,5:1m", Arrival: arrival, Seed: 4}.ParsePatterns()
		if err != nil {
			t.Fatal(err)
		}
		s, err := ps[0].MakeSchedule(0, nil)
		if err != nil {
			t.Fatal(err)
		}
		begin := int64(0)
		for _, part := range []struct {
			seconds int64
			want    float64
		}{{60, 300}, {30, 0}, {60, 1200}, {60, 300}} {
			end := begin + part.seconds*1e9
			from, _ := slices.BinarySearch(s.Due, begin+1)
			to, _ := slices.BinarySearch(s.Due, end+1)
			if off := math.Abs(float64(to-from) - part.want); arrival == "constant" && off > 1 ||
				off > 5*math.Sqrt(part.want) && off > 1 {
				t.Errorf("%s: %d requests from %d to %d, want %v", arrival, to-from, begin, end, part.want)
			}
			begin = end
		}
	}
	ps, err := LoadFlags{Rate: "50", Ramp: "0:10s", Requests: "400"}.ParsePatterns()
	if err != nil {
		t.Fatal(err)
	}
	s, err := ps[0].MakeSchedule(0, nil)
	if err != nil || s.Steady != 10e9 {
		t.Fatalf("steady from %d, error %v", s.Steady, err)
	}
	if n, _ := slices.BinarySearch(s.Due, s.Steady); math.Abs(float64(n)-250) > 5*math.Sqrt(250) {
		t.Errorf("%d requests on the ramp, want about 250", n)
	}
}

func TestReplayAtASpeed(t *testing.T) {
	stamps := []time.Duration{10, 14, 30, 50}
	for i := range stamps {
		stamps[i] *= time.Second
	}
	for _, c := range []struct {
		p    Pattern
		want []int64
		rows []int
	}{
		{Pattern{Speed: 2}, []int64{0, 2e9, 10e9, 20e9}, []int{0, 1, 2, 3}},
		{Pattern{Requests: 2}, []int64{0, 4e9}, []int{0, 1}},
		{Pattern{Duration: 21 * time.Second}, []int64{0, 4e9, 20e9}, []int{0, 1, 2}},
		{Pattern{From: 4 * time.Second, To: 40 * time.Second}, []int64{0, 16e9}, []int{1, 2}},
	} {
		c.p.Kind = Replay
		s, err := c.p.MakeSchedule(4, stamps)
		if err != nil || !slices.Equal(s.Due, c.want) || !slices.Equal(s.Rows, c.rows) || s.Notes != nil {
			t.Errorf("%+v: %+v, error %v", c.p, s, err)
		}
	}
	for _, p := range []Pattern{{Kind: Replay, From: time.Hour}, {Kind: Replay}} {
		if p.From == 0 {
			stamps = nil
		}
		if _, err := p.MakeSchedule(4, stamps); err == nil {
			t.Errorf("%+v, %d times: no error", p, len(stamps))
		}
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		flags          LoadFlags
		scenario, what string
	}{
		{LoadFlags{Max: true}, "Offline", ""},
		{LoadFlags{Rate: "5"}, "Server", ""},
		{LoadFlags{Concurrency: "1"}, "SingleStream", ""},
		{LoadFlags{Concurrency: "1", Think: "1s"}, "", "no LoadGen scenario: closed loop"},
		{LoadFlags{Concurrency: "4"}, "", "no LoadGen scenario: closed loop"},
		{LoadFlags{Concurrency: "4", Turns: "all"}, "", "no LoadGen scenario: closed loop of sessions"},
		{LoadFlags{Rate: "5", Turns: "all"}, "", "no LoadGen scenario: sessions of several turns"},
		{LoadFlags{Rate: "5", Concurrency: "4"}, "", "no LoadGen scenario: arrivals with at most 4 under way"},
		{LoadFlags{Rate: "5", Arrival: "constant"}, "", "no LoadGen scenario: constant arrivals"},
		{LoadFlags{Rate: "5", Ramp: "1:5s"}, "", "no LoadGen scenario: a rate with a ramp"},
		{LoadFlags{Stages: "5:1s"}, "", "no LoadGen scenario: rates in stages"},
		{LoadFlags{Replay: true}, "", "no LoadGen scenario: replay of a trace"},
	} {
		ps, err := c.flags.ParsePatterns()
		if err != nil || len(ps) != 1 {
			t.Errorf("%+v: %d patterns, error %v", c.flags, len(ps), err)
			continue
		}
		p := ps[0]
		if p.Scenario() != c.scenario || p.Label() != c.what || (p.ClosedLoop() == "") != (p.Kind != Users) {
			t.Errorf("%+v: scenario %q, label %q, %q", c.flags, p.Scenario(), p.Label(), p.ClosedLoop())
		}
	}
	if ps, err := (LoadFlags{}).ParsePatterns(); ps != nil || err != nil {
		t.Errorf("no load: %v, error %v", ps, err)
	}
}

func TestUsersBeginEvenly(t *testing.T) {
	p := Pattern{Kind: Users, Users: 4, Ramp: 10 * time.Second}
	if got, want := p.UserStarts(), []int64{0, 25e8, 5e9, 75e8}; !slices.Equal(got, want) {
		t.Errorf("starts %v, want %v", got, want)
	}
}

// A schedule that exceeds the memory is refused before it is made.
func TestTooManyRequests(t *testing.T) {
	for _, f := range []LoadFlags{
		{Rate: "1e7", Duration: "1h"}, {Rate: "1e7", Duration: "1h", Arrival: "constant"}, {Stages: "1e7:1h"},
		{Rate: "1e7", Ramp: "1:1h", Duration: "2h", Arrival: "constant"},
	} {
		ps, err := f.ParsePatterns()
		if err != nil {
			t.Fatal(err)
		}
		if s, err := ps[0].MakeSchedule(0, nil); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%+v: %d requests, error %v", f, len(s.Due), err)
		}
	}
}

func FuzzPoints(f *testing.F) {
	for _, seed := range []string{"1,2,4", "1..256", "1..100/8", "10..50+10", "1..0", "5,,", "1e-6..1e7/9999", "3..3+1"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, whole bool) {
		got, err := ParseLoads(text, whole)
		if err != nil {
			return
		}
		if len(got) == 0 || len(got) > maxPoints {
			t.Fatalf("%d points", len(got))
		}
		for i, x := range got {
			if i > 0 && !(x > got[i-1]) || whole && (x != math.Trunc(x) || x < 1 || x > maxUsers) ||
				!whole && (x < minRate || x > maxRate) {
				t.Fatalf("points %v", got)
			}
		}
	})
}

func FuzzFlags(f *testing.F) {
	f.Add("5", "", "gamma", "2", "", "1:5s", "", "1m")
	f.Add("", "4", "", "", "2s", "30s", "", "")
	f.Add("", "", "constant", "", "", "", "5:1m,20:1m", "")
	f.Fuzz(func(t *testing.T, rate, users, arrival, shape, think, ramp, stages, duration string) {
		ps, err := LoadFlags{
			Rate: rate, Concurrency: users, Arrival: arrival, Burstiness: shape, Think: think, Ramp: ramp, Stages: stages,
			Duration: duration, Requests: "50", Seed: 1,
		}.ParsePatterns()
		if err != nil {
			return
		}
		for _, p := range ps[:min(3, len(ps))] {
			if p.Kind == Users {
				if starts := p.UserStarts(); len(starts) != p.Users || !slices.IsSorted(starts) {
					t.Fatalf("%+v: %d starts", p, len(starts))
				}
				continue
			}
			s, err := p.MakeSchedule(10, nil)
			if err == nil && (len(s.Due) > 50 || !slices.IsSorted(s.Due)) {
				t.Fatalf("%+v: due times %v", p, s.Due)
			}
		}
	})
}
