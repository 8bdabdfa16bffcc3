package compare

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// served is a point of a server, whose first tokens come after so many ms.
func served(users int, ttft int64, change func(s *record.Serving)) record.Run {
	var all []metrics.Request
	for i := range int64(100) {
		r := metrics.Request{Index: int(i), Due: i * 1e9, Sent: i * 1e9, End: i*1e9 + 1e9, Status: metrics.OK,
			Usage: metrics.NoUsage(), Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
		for k := range int64(5) {
			r.Events.Add(metrics.StreamEvent{At: r.Due + ttft*1e6 + k*1e7, Kind: metrics.Content, Text: true, IDs: 1})
		}
		all = append(all, r)
	}
	s := &record.Serving{
		Load: record.ServingLoad{By: arrival.Users, Value: float64(users)}, Figures: metrics.ComputeFigures(all,
			metrics.FigureRules{}),
		Server: record.ServingServer{Kind: "vllm", Version: "0.33", Model: "m", URLs: []string{"http://a:8000"}},
		Asked:  record.ServingAsked{API: "chat", ISL: "1024", OSL: "128", Seed: 1},
	}
	if change != nil {
		change(s)
	}
	r := record.Run{Model: "m", Mode: record.ModeServing, Serving: s,
		Identity: record.Identity{Point: []string{fmt.Sprintf("users=%d", users)}}}
	r.Finish(nil)
	return r
}

// TestServers compares sweeps point by point: figures have rows, and what differs of the servers is told.
func TestServers(t *testing.T) {
	var base, next []record.Run
	for i := range int64(4) {
		base = append(base, served(4, 50+i, nil), served(16, 100+i, nil))
		newer := func(s *record.Serving) { s.Server.Version = "0.34" }
		next = append(next, served(4, 50+i, newer), served(16, 60+i, newer), served(64, 200, newer))
	}
	c, err := Compare(input("base", base...), input("new", next...), nil)
	if err != nil || len(c.Pairs) != 2 {
		t.Fatalf("%d pairs, %v", len(c.Pairs), err)
	}
	want := map[string]DifferenceVerdict{"users=4": VerdictWithin, "users=16": VerdictImproved}
	for _, p := range c.Pairs {
		place := p.Name[strings.LastIndex(p.Name, " ")+1:]
		found := false
		for _, r := range p.Rows {
			if found = found || r.Name == "ttft.p99"; r.Name == "ttft.p99" && r.Verdict != want[place] {
				t.Errorf("%s: %s is %q, want %q", p.Name, r.Name, r.Verdict, want[place])
			}
		}
		if !found || p.BaseRuns != 4 || p.NewRuns != 4 {
			t.Errorf("%s: %d against %d runs, ttft.p99 is there: %v", p.Name, p.BaseRuns, p.NewRuns, found)
		}
		if len(p.Differs) != 1 || p.Differs[0] != (PropertyDifference{"server", "vllm 0.33", "vllm 0.34"}) {
			t.Errorf("%s differs in %v", p.Name, p.Differs)
		}
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "users=64") {
		t.Errorf("notes %q", c.Notes)
	}
}

// TestUnlikeServers: points that were asked something else, or at another load, are not compared.
func TestUnlikeServers(t *testing.T) {
	for about, next := range map[string]record.Run{
		"tokens of prompts": served(4, 50, func(s *record.Serving) { s.Asked.ISL = "512" }),
		"tokens of answers": served(4, 50, func(s *record.Serving) { s.Asked.OSL = "512" }),
		"data":              served(4, 50, func(s *record.Serving) { s.Asked.Data = "own.jsonl" }),
		"API":               served(4, 50, func(s *record.Serving) { s.Asked.API = "completions" }),
		"shared prefixes":   served(4, 50, func(s *record.Serving) { s.Asked.Prefix = "0.5/8" }),
		"streamed":          served(4, 50, func(s *record.Serving) { s.Asked.Whole = true }),
		"thinking":          served(4, 50, func(s *record.Serving) { s.Load.Think = 2 }),
		"load":              served(16, 50, nil),
	} {
		_, err := Compare(input("base", served(4, 50, nil)), input("new", next), nil)
		if !errors.Is(err, ErrUnlike) || !strings.Contains(err.Error(), about+" differs") {
			t.Errorf("%s: %v", about, err)
		}
		if _, err := Compare(input("base", served(4, 50, nil)), input("new", next), []string{"all"}); err != nil {
			t.Errorf("%s: %v", about, err)
		}
	}
	another := served(4, 50, func(s *record.Serving) { s.Asked.Seed, s.Asked.PointSeed = 7, 8 })
	if _, err := Compare(input("base", served(4, 50, nil)), input("new", another), nil); err != nil {
		t.Errorf("another seed: %v", err)
	}
}

// TestSidesWithoutACommonLoad: what is asked for cannot be compared, which is the user's to mend, and says how.
func TestSidesWithoutACommonLoad(t *testing.T) {
	sweep, point := []record.Run{served(4, 50, nil), served(16, 60, nil)}, []record.Run{served(8, 50, nil)}
	other := []record.Run{served(32, 50, nil), served(64, 60, nil)}
	for name, sides := range map[string][2][]record.Run{
		"a sweep against a point": {sweep, point}, "a point against a sweep": {point, sweep}, "two sweeps": {sweep, other},
		"a point against another": {point, other[:1]},
	} {
		_, err := Compare(input("curve", sides[0]...), input("rates", sides[1]...), nil)
		if err == nil && len(sides[0])+len(sides[1]) == 2 {
			continue // they differ in their loads, which is what is compared
		}
		if !errors.Is(err, ErrUnlike) || exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), "load") {
			t.Errorf("%s: %d, %v", name, exitcode.Of(err), err)
		}
	}
	_, err := Compare(input("curve", sweep...), input("bench-1", point...), nil)
	if err == nil || !strings.Contains(err.Error(), "name the folder of a point (curve/users-4)") {
		t.Errorf("%v", err)
	}
}

// TestServersWithLostFiles: a comparison says whose files are not as they were written.
func TestServersWithLostFiles(t *testing.T) {
	lost := served(4, 50, nil)
	lost.Notes = append(lost.Notes, record.Finding{About: results.FilesSubject, Text: "requests.jsonl is gone"})
	c, err := Compare(input("base", served(4, 50, nil)), input("new", lost), nil)
	if err != nil || len(c.Pairs) != 1 || !strings.Contains(strings.Join(c.Pairs[0].Notes, "\n"),
		"requests.jsonl is gone") {
		t.Errorf("%+v, %v", c.Pairs, err)
	}
}
