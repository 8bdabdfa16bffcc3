package record

import (
	"fmt"
	"slices"
)

// String describes a LoadGen: "official LoadGen 6.0.17, sha256 ..., source unmodified: yes (release)".
func (l *LoadGen) String() string {
	if l.Logged {
		return fmt.Sprintf("%s LoadGen %s", l.Name, l.Version)
	}
	return fmt.Sprintf("%s LoadGen %s, sha256 %s, source unmodified: %s", l.Name, l.Version, l.SHA256, l.unmodifiedText())
}

// Rehearses reports whether runs of the LoadGen can never be official results.
func (l *LoadGen) Rehearses() bool { return !l.Unmodified && !l.Logged }

func (l *LoadGen) unmodifiedText() string {
	if l.Unmodified {
		return "yes (" + l.Release + ")"
	}
	return "no: that of no known release"
}

// statusNote describes the status of results, which depends on the LoadGen of their runs.
func statusNote(runs []Run) string {
	var official *LoadGen
	for _, r := range runs {
		if r.LoadGen == nil {
			return Note
		}
		if official == nil || r.LoadGen.Rehearses() {
			official = r.LoadGen
		}
	}
	estimated := slices.ContainsFunc(runs, func(r Run) bool { return len(r.Estimates) > 0 })
	switch {
	case official == nil:
		return Note
	case official.Logged:
		return "Driven by the " + official.String() + ", as the log says."
	case !official.Unmodified:
		return "Driven by the " + official.String() + "; a rehearsal, not an official result."
	case estimated:
		return "Driven by the " + official.String() + "; a rehearsal, not an official result: a part of it is an estimate."
	}
	return "Driven by the " + official.String() + "."
}
