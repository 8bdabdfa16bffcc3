package compare

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// timed is a run of a commit that measured a rate.
func timed(commit string, minute int, rate float64) results.FoundRun {
	at := time.Date(2026, 11, 1, 12, minute, 0, 0, time.UTC)
	f := results.FoundRun{Run: run("Offline", "ort", rate, time.Millisecond), File: "results.jsonl", Commit: commit}
	f.Started = at
	return f
}

func TestTimeline(t *testing.T) {
	set := results.Set{Skipped: []string{"line 7: cut"}}
	for i, rate := range []float64{100, 101, 99, 100.5} {
		set.Runs = append(set.Runs, timed("one", i, rate))
	}
	for i, rate := range []float64{100.2, 99.5, 100.7, 101.5} {
		set.Runs = append(set.Runs, timed("same", 10+i, rate))
	}
	for i, rate := range []float64{80, 81, 82, 83} {
		set.Runs = append(set.Runs, timed("slow", 20+i, rate))
	}
	set.Runs = append(set.Runs, timed("few", 5, 200)) // its clock went back
	unfinished := timed("few", 30, 1)
	unfinished.Status = record.Interrupted
	set.Runs = append(set.Runs, unfinished)
	line, err := NewTimeline("results.jsonl", set)
	if err != nil {
		t.Fatal(err)
	}
	if len(line.Series) != 1 {
		t.Fatalf("%d series", len(line.Series))
	}
	var got []string
	for _, e := range line.Series[0].Entries {
		got = append(got, e.Commit+" "+string(e.Verdict))
	}
	want := "one first, same within the spread, slow worse, few no verdict"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("found %s\nwant  %s", text, want)
	}
	if against := len(line.Series[0].Entries[2].Base.Values); against != 8 {
		t.Errorf("the change is against %d runs, want all 8 before it", against)
	}
	if against := len(line.Series[0].Entries[3].Base.Values); against != 4 {
		t.Errorf("after a change the base is %d runs, want the 4 since", against)
	}
	notes := strings.Join(line.Notes, "\n")
	for _, part := range []string{"line 7: cut", "the clock went back", "interrupted"} {
		if !strings.Contains(notes, part) {
			t.Errorf("the notes do not say %q:\n%s", part, notes)
		}
	}
	if _, text, worst := line.BadgeText(); !strings.HasPrefix(text, "200") || worst != VerdictUnknown {
		t.Errorf("the newest is %q, %s", text, worst)
	}
	if _, err := NewTimeline("x", results.Set{}); err == nil {
		t.Error("no runs are no error")
	}
}
