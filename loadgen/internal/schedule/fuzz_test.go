package schedule

import (
	"errors"
	"slices"
	"testing"
)

// FuzzGenerate checks properties of every plan: its lengths, that it requests only loaded samples, that times never
// decrease, and that it is long enough.
func FuzzGenerate(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint16(30), uint16(3), 1000.0, int64(1e7), uint16(50), uint64(7))
	f.Add(uint8(1), uint8(1), uint16(20), uint16(8), 125.0, int64(0), uint16(9), uint64(1))
	f.Add(uint8(2), uint8(8), uint16(64), uint16(1), 2000.0, int64(3e7), uint16(100), uint64(2))
	f.Add(uint8(3), uint8(10), uint16(32), uint16(100), 777.7, int64(0), uint16(1), uint64(3))
	f.Add(uint8(0), uint8(20), uint16(31), uint16(3), 1000.0, int64(1e7), uint16(50), uint64(7))
	f.Add(uint8(2), uint8(4), uint16(5), uint16(0), 1e12, int64(1), uint16(0), uint64(3))
	f.Fuzz(func(
		t *testing.T, scenario, flags uint8, size, wide uint16, qps float64, duration int64, least uint16, seed uint64,
	) {
		p := Params{
			Scenario: Scenario(scenario % 4), Accuracy: flags&1 != 0, SamplesPerQuery: uint64(wide%512) + 1, QPS: qps,
			MinDuration: max(duration, 0), MinQueries: uint64(least%5000) + 1, SampleSeed: seed, ScheduleSeed: seed,
			IssueUnique: flags&2 != 0, IssueSame: flags&6 == 4, EqualIssue: flags&8 != 0,
		}
		p.LoadedOnce = p.IssueUnique || p.IssueSame && flags&16 != 0
		size = size%2000 + 1
		p.SameIndex = seed % uint64(size)
		if p.Scenario == Offline && p.LoadedOnce {
			p.SamplesPerQuery = uint64(size)
		}
		if p.Scenario == Offline {
			p.MinDuration, p.MinQueries = 0, 1
		}
		padding := 0
		if p.Scenario == MultiStream {
			padding = int(p.SamplesPerQuery) - 1
		}
		p.Set = Sets(int(size), int(size), padding, Source(seed, false))[0]
		if !(qps > 0) || p.Scenario == MultiStream && p.IssueUnique && p.EqualIssue {
			t.Skip("StartTest refuses this")
		}
		if n, err := Count(p); err == nil && n*p.SamplesPerQuery > 1<<20 {
			t.Skip("larger than takes a moment")
		}
		checkPlan(t, p)
	})
}

func checkPlan(t *testing.T, p Params) {
	plan, err := Generate(p)
	if err != nil {
		if !errors.Is(err, ErrTooMuch) {
			t.Fatal(err)
		}
		return
	}
	count, err := Count(p)
	if err != nil {
		t.Fatalf("Count fails where Generate does not: %v", err)
	}
	if p.Scenario != Server && uint64(plan.Queries) != count {
		t.Errorf("%d queries, Count said %d", plan.Queries, count)
	}
	if n := plan.Total(); len(plan.Samples) > n || len(plan.Samples) < n && p.Scenario != Offline {
		t.Errorf("%d samples in %d queries of %d", len(plan.Samples), plan.Queries, plan.SamplesPerQuery)
	}
	if !p.Accuracy && !p.LoadedOnce && uint64(plan.Queries) < p.MinQueries {
		t.Errorf("%d queries, at least %d were asked for", plan.Queries, p.MinQueries)
	}
	if p.LoadedOnce && !p.Accuracy && p.Scenario != MultiStream && !p.EqualIssue && plan.Total() != p.Set.Size {
		t.Errorf("%d samples, %d are loaded", plan.Total(), p.Set.Size)
	}
	checkTimes(t, p, plan)
	checkSamples(t, p, plan)
}

func checkTimes(t *testing.T, p Params, plan Plan) {
	if !slices.IsSorted(plan.Scheduled) || plan.End < 0 {
		t.Errorf("the schedule goes back in time")
	}
	if n := len(plan.Scheduled); n > 0 && (plan.Scheduled[0] != 0 || plan.Scheduled[n-1] > plan.End ||
		plan.Scheduled[n-1] < p.targetNanos()) {
		t.Errorf("schedule from %d to %d, end %d, target %d", plan.Scheduled[0], plan.Scheduled[n-1], plan.End,
			p.targetNanos())
	}
}

func checkSamples(t *testing.T, p Params, plan Plan) {
	times := map[uint32]int{}
	for i := range plan.Total() {
		s := plan.Sample(i)
		if int(s) >= p.Set.Size {
			t.Fatalf("sample %d of a set of %d", s, p.Set.Size)
		}
		times[s]++
	}
	everyOnce := p.Accuracy && !p.IssueSame || p.IssueUnique
	if everyOnce && len(times) != p.Set.Size {
		t.Errorf("%d of %d samples were asked", len(times), p.Set.Size)
	}
	if p.IssueSame && p.Scenario != MultiStream && len(times) > 1 {
		t.Errorf("%d different samples under performance_issue_same", len(times))
	}
	if p.EqualIssue && !p.IssueSame && !p.IssueUnique && p.Scenario != MultiStream {
		for s, n := range times {
			if n != times[p.Set.Loaded[0]] {
				t.Fatalf("sample %d is asked %d times, another %d times", s, n, times[p.Set.Loaded[0]])
			}
		}
	}
}
