package shard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

func TestParse(t *testing.T) {
	s, err := shard.Parse("2/4")
	if err != nil || s != (shard.Share{Index: 2, Of: 4}) || s.String() != "2/4" {
		t.Errorf("%v, %v", s, err)
	}
	for text, want := range map[string]string{
		"4/4": "want one from 0 to 3", "-1/4": "want one from 0", "1": "is no share", "": "is no share", "0/0": "is no share",
		"a/b": "is no share", "0/99999": "at most 10000", "1/2/3": "is no share", "1 /2": "is no share",
	} {
		if _, err := shard.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzParse: what is read is written again as it was meant, and has its place among so many.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"0/1", "3/4", "4/4", "-1/4", "1/2/3", "+1/+2", "01/02", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := shard.Parse(text)
		if err != nil {
			return
		}
		again, err := shard.Parse(s.String())
		if err != nil || again != s || s.Index < 0 || s.Index >= s.Of || !s.Has(s.Index) {
			t.Errorf("%q is %+v, and %v again, error %v", text, s, again, err)
		}
	})
}

// TestPlace: every number is of exactly one share.
func TestPlace(t *testing.T) {
	for n := range 20 {
		var all, dealt []int
		for k := range n {
			all = append(all, k)
		}
		for of := 1; of < 7; of++ {
			dealt = dealt[:0]
			for i := range of {
				s := shard.Share{Index: i, Of: of}
				for k := range s.Count(n) {
					at := s.NumberAt(k)
					if want := k*of + i; at != want || !s.Has(at) {
						t.Errorf("%v of %d: place %d is %d, want %d", s, n, k, at, want)
					}
					dealt = append(dealt, at)
				}
			}
			if slices.Sort(dealt); !slices.Equal(dealt, all) {
				t.Errorf("%d shares of %v have %v", of, all, dealt)
			}
		}
	}
	if whole := (shard.Share{}); whole.Count(2) != 2 || whole.NumberAt(1) != 1 || !whole.Has(7) {
		t.Errorf("no share has %d of 2, place 1 is %d", whole.Count(2), whole.NumberAt(1))
	}
}

var began = time.Date(2026, 11, 24, 5, 0, 0, 0, time.UTC)

// split deals records out to shares, each of which begins a little later than the one before: its times count from
// there.
func split(all []metrics.Request, of int) []shard.Part {
	var parts []shard.Part
	for i := range of {
		late := time.Duration(i) * 1234567
		p := shard.Part{Name: fmt.Sprintf("part-%d", i), Share: shard.Share{Index: i, Of: of}, Zero: began.Add(late),
			Common: map[string]string{"seed": "1", "model": "m"}}
		for k := i; k < len(all); k += of {
			r := all[k]
			r.Index = len(p.Requests)
			r.Due, r.Sent, r.End = r.Due-int64(late), r.Sent-int64(late), r.End-int64(late)
			r.Events.Shift(-int64(late))
			p.Requests = append(p.Requests, r)
		}
		parts = append(parts, p)
	}
	return parts
}

// TestGoldenMerged: the figures of shares that are put together are those of one client, to the last bit of every
// number that does not depend on an order of additions.
func TestGoldenMerged(t *testing.T) {
	const cases = "../../../serving/metrics/testdata/golden"
	golden.EachBelow(t, cases, "serving/events/*.json", func(t *testing.T, path string) {
		c := servingtest.ReadCase(t, path)
		all := c.Records()
		slices.SortStableFunc(all, func(a, b metrics.Request) int { return int(a.Due - b.Due) })
		want, err := json.Marshal(metrics.ComputeFigures(all, c.FigureRules()))
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{1, 2, 3, 7} {
			parts := split(all, of)
			slices.Reverse(parts)
			m, err := shard.Merge(parts)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(metrics.ComputeFigures(m.Requests, c.FigureRules()))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d shares: %v\n%s, want\n%s", of, err, got, want)
			}
			if m.Zero != began || m.StartDifference != time.Duration(of-1)*1234567 {
				t.Errorf("%d shares: the first began at %v, the last %v later", of, m.Zero, m.StartDifference)
			}
		}
	})
}

// TestMergeUsers: users keep their numbers, and the window is that in which all shares are steady.
func TestMergeUsers(t *testing.T) {
	parts := split(make([]metrics.Request, 8), 2)
	for i := range parts {
		for k := range parts[i].Requests {
			parts[i].Requests[k].User = parts[i].Share.NumberAt(k)
		}
		parts[i].Window = &metrics.Window{From: int64(i) * 1e9, To: int64(5+i) * 1e9}
		parts[i].ClockError = time.Duration(1+i) * time.Millisecond
	}
	m, err := shard.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	users := map[int]bool{}
	for i, r := range m.Requests {
		if users[r.User] = true; r.Index != i {
			t.Errorf("request %d has the number %d", i, r.Index)
		}
	}
	if len(users) != 8 || !users[7] {
		t.Errorf("users %v", users)
	}
	if m.Window == nil || *m.Window != (metrics.Window{From: 1e9 + 1234567, To: 5e9}) ||
		m.ClockError != 3*time.Millisecond {
		t.Errorf("window %v, clocks %v apart", m.Window, m.ClockError)
	}
	notes := strings.Join(m.Notes, "\n")
	if !strings.Contains(notes, "3 ms apart") || !strings.Contains(notes, "right to 0.075 %") {
		t.Errorf("notes %q", notes)
	}
	parts[1].Window = nil
	if m, err = shard.Merge(parts); err != nil || m.Window != nil {
		t.Errorf("a share that was never steady: %v, %v", m.Window, err)
	}
	parts[1].Window, parts[1].ClockError = &metrics.Window{From: 6e9, To: 9e9}, -1
	m, err = shard.Merge(parts)
	if notes := strings.Join(m.Notes, "\n"); err != nil || m.Window != nil || m.ClockError >= 0 ||
		!strings.Contains(notes, "no time at which all shares were steady") || !strings.Contains(notes, "is not known") {
		t.Errorf("%v, %v, %q", m.Window, err, notes)
	}
}

func TestMergeRefuses(t *testing.T) {
	of := func(change func(parts []shard.Part) []shard.Part) error {
		_, err := shard.Merge(change(split(make([]metrics.Request, 9), 3)))
		return err
	}
	for want, change := range map[string]func(parts []shard.Part) []shard.Part{
		"there is none":     func([]shard.Part) []shard.Part { return nil },
		"missing: 1/3":      func(p []shard.Part) []shard.Part { return []shard.Part{p[0], p[2]} },
		"missing: 0/3, 1/3": func(p []shard.Part) []shard.Part { return p[2:] },
		"share 2/3 is there twice: part-2 and part-2": func(p []shard.Part) []shard.Part { return append(p, p[2]) },
		`seed differs: "1" in part-0, "2" in part-1`: func(p []shard.Part) []shard.Part {
			p[1].Common = map[string]string{"seed": "2", "model": "m"}
			return p
		},
		`model differs: "m" in part-0, "" in part-2`: func(p []shard.Part) []shard.Part {
			p[2].Common = map[string]string{"seed": "1"}
			return p
		},
		"part-1 is share 1/4, and part-0 is 0/3": func(p []shard.Part) []shard.Part {
			p[1].Share.Of = 4
			return p
		},
		"part-0 is no share": func(p []shard.Part) []shard.Part {
			p[0].Share = shard.Share{}
			return p
		},
	} {
		if err := of(change); !errors.Is(err, shard.ErrMismatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	err := of(func(p []shard.Part) []shard.Part {
		p[2].Common = map[string]string{"seed": "7", "model": "m"}
		return p[1:]
	})
	for _, want := range []string{"missing: 0/3", "seed differs"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestOneClock: shares of one machine read one clock, however wrong it is.
func TestOneClock(t *testing.T) {
	for name, c := range map[string]struct {
		clocks []string
		errors []time.Duration
		doubt  time.Duration
	}{
		"one":      {[]string{"a", "a", "a"}, []time.Duration{-1, 5, 7}, 0},
		"two":      {[]string{"a", "b", "a"}, []time.Duration{3, 5, 7}, 12},
		"untold":   {[]string{"a", "b", "a"}, []time.Duration{3, -1, 7}, -1},
		"nameless": {[]string{"", "", ""}, []time.Duration{3, 5, 7}, 12},
	} {
		parts := split(make([]metrics.Request, 9), 3)
		for i := range parts {
			parts[i].Clock, parts[i].ClockError = c.clocks[i], c.errors[i]
		}
		m, err := shard.Merge(parts)
		if err != nil || m.ClockError != c.doubt {
			t.Errorf("%s: %v, %v, want %v", name, m.ClockError, err, c.doubt)
		}
	}
}
