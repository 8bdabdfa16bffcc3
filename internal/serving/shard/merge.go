package shard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Part contains one share's records of a point.
type Part struct {
	Name  string // for messages: the folder that the user named
	Share Share
	// Common contains values that must be equal in all shares, by names such as "seed", "load", "version", "model",
	// "server" and "data".
	Common map[string]string
	// Zero is time 0 of the records on the share's clock.
	Zero time.Time
	// Clock is the name of the share's clock. Shares with the same name have the same clock. Empty: unknown.
	Clock string
	// ClockError is the maximum error of that clock as reported by its system; below 0: unknown.
	ClockError time.Duration
	Requests   []metrics.Request
	// Window is the steady part of the share's closed loop; nil: none.
	Window *metrics.Window
}

// Merged contains the records of several shares, as if one client had made them.
type Merged struct {
	// Requests are numbered and ordered by due time. Times count from the earliest Zero. User numbers are those of the
	// whole load.
	Requests []metrics.Request
	// Window is the time in which all shares were steady; nil: none.
	Window *metrics.Window
	Zero   time.Time
	// Apart is the difference between the latest and the earliest Zero. Doubt is the maximum error of that difference;
	// below 0: unknown.
	StartDifference, ClockError time.Duration
	Notes                       []string
}

// ErrMismatch reports that shares do not belong to one measurement.
var ErrMismatch = errors.New("these are not the shares of one measurement")

// Merge merges shares. Its error names all missing, duplicate and differing shares. Requests are copied; their token
// events are shared with parts.
func Merge(parts []Part) (*Merged, error) {
	if err := checkParts(parts); err != nil {
		return nil, err
	}
	m := &Merged{Zero: parts[0].Zero, Window: parts[0].Window}
	n, steady := 0, true
	last := parts[0].Zero
	for _, p := range parts {
		if n += len(p.Requests); p.Zero.Before(m.Zero) {
			m.Zero = p.Zero
		}
		if p.Zero.After(last) {
			last = p.Zero
		}
		steady = steady && p.Window != nil
	}
	m.StartDifference, m.ClockError = last.Sub(m.Zero), maxClockError(parts)
	m.Requests = make([]metrics.Request, 0, n)
	m.Window = nil
	for _, p := range parts {
		shift := int64(p.Zero.Sub(m.Zero))
		m.addRecords(p, shift)
		if !steady {
			continue
		}
		if m.Window == nil {
			m.Window = &metrics.Window{From: p.Window.From + shift, To: p.Window.To + shift}
		}
		m.Window.From = max(m.Window.From, p.Window.From+shift)
		m.Window.To = min(m.Window.To, p.Window.To+shift)
	}
	slices.SortStableFunc(m.Requests, func(a, b metrics.Request) int {
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Index, b.Index))
	})
	for i := range m.Requests {
		m.Requests[i].Index = i
	}
	m.noteClocks(steady)
	return m, nil
}

// addRecords adds a share's requests, with their times moved by shift.
func (m *Merged) addRecords(p Part, shift int64) {
	for _, r := range p.Requests {
		r.Due, r.Sent, r.End = r.Due+shift, r.Sent+shift, r.End+shift
		r.Events.Shift(shift)
		r.Index = p.Share.NumberAt(r.Index)
		m.Requests = append(m.Requests, r)
	}
}

// maxClockError returns the maximum difference between two of the clocks: the sum of the two largest errors.
func maxClockError(parts []Part) time.Duration {
	clocks := map[string]time.Duration{}
	for i, p := range parts {
		name := p.Clock
		if name == "" {
			name = fmt.Sprint("of part ", i)
		}
		if before, known := clocks[name]; known && (before < 0 || p.ClockError < 0) {
			clocks[name] = -1
		} else {
			clocks[name] = p.ClockError
			if known {
				clocks[name] = max(before, p.ClockError)
			}
		}
	}
	errs := slices.Collect(maps.Values(clocks))
	slices.Sort(errs)
	switch {
	case len(errs) < 2:
		return 0
	case errs[0] < 0:
		return -1
	}
	return errs[len(errs)-1] + errs[len(errs)-2]
}

// noteClocks adds notes on the effect of the clocks' errors on the figures.
func (m *Merged) noteClocks(steady bool) {
	window := "the window"
	var took time.Duration
	if m.Window != nil && m.Window.To <= m.Window.From {
		m.Window = nil
		m.Notes = append(m.Notes, "there was no time at which all shares were steady: figures are of all requests")
	}
	if m.Window != nil {
		took = time.Duration(m.Window.To - m.Window.From)
	} else if n := len(m.Requests); n > 0 {
		end := m.Requests[0].Due
		for i := range m.Requests {
			end = max(end, m.Requests[i].End)
		}
		took = time.Duration(end - m.Requests[0].Due)
	}
	if !steady && m.Window == nil {
		window = "the measurement"
	}
	switch {
	case m.ClockError < 0:
		m.Notes = append(m.Notes, "how far the clocks of the shares were apart is not known: a system does not say how "+
			"wrong its clock may be")
	case m.ClockError > 0 && took > 0:
		m.Notes = append(m.Notes, fmt.Sprintf("the clocks of the shares may have been %s apart: rates of %s of %s are right "+
			"to %s %%; times of single requests are each of one clock, and are not touched", figure.Seconds(m.ClockError),
			window,
			figure.Seconds(took), figure.Short(100*float64(m.ClockError)/float64(took))))
	}
	if m.StartDifference > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("the last share began %s after the first", figure.Seconds(m.StartDifference)))
	}
}

// checkParts returns an error that lists why the shares cannot be merged.
func checkParts(parts []Part) error {
	if len(parts) == 0 {
		return fmt.Errorf("%w: there is none", ErrMismatch)
	}
	var faults []error
	of := parts[0].Share.Of
	by := map[int]string{}
	for _, p := range parts {
		switch before, twice := by[p.Share.Index]; {
		case p.Share.Of < 1 || p.Share.Index < 0 || p.Share.Index >= p.Share.Of:
			faults = append(faults, fmt.Errorf("%s is no share", p.Name))
			continue
		case p.Share.Of != of:
			faults = append(faults, fmt.Errorf("%s is share %v, and %s is %v: another number of shares", p.Name, p.Share,
				parts[0].Name, parts[0].Share))
			continue
		case twice:
			faults = append(faults, fmt.Errorf("share %v is there twice: %s and %s", p.Share, before, p.Name))
		}
		by[p.Share.Index] = p.Name
	}
	var missing []string
	for i := range min(max(of, 0), maxShares) {
		if _, ok := by[i]; !ok {
			missing = append(missing, Share{i, of}.String())
		}
	}
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("missing: %s", strings.Join(missing, ", ")))
	}
	faults = append(faults, findDifferences(parts)...)
	if len(faults) > 0 {
		return fmt.Errorf("%w: %w", ErrMismatch, errors.Join(faults...))
	}
	return nil
}

// findDifferences returns the values of Common that differ between shares.
func findDifferences(parts []Part) (faults []error) {
	names := map[string]bool{}
	for _, p := range parts {
		for name := range p.Common {
			names[name] = true
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		want := parts[0].Common[name]
		for _, p := range parts[1:] {
			if got := p.Common[name]; got != want {
				faults = append(faults, fmt.Errorf("%s differs: %q in %s, %q in %s", name, want, parts[0].Name, got, p.Name))
			}
		}
	}
	return faults
}
