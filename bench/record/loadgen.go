package record

import (
	"fmt"
	"slices"
)

// String is what a LoadGen is known by: "official LoadGen 6.0.17, sha256 ..., source unmodified: yes (release)".
func (l *LoadGen) String() string {
	if l.Logged {
		return fmt.Sprintf("%s LoadGen %s", l.Name, l.Version)
	}
	return fmt.Sprintf("%s LoadGen %s, sha256 %s, source unmodified: %s", l.Name, l.Version, l.SHA256, l.unmodifiedText())
}

// Rehearses says that runs of the LoadGen are no official results whatever they measured.
func (l *LoadGen) Rehearses() bool { return !l.Unmodified && !l.Logged }

func (l *LoadGen) unmodifiedText() string {
	if l.Unmodified {
		return "yes (" + l.Release + ")"
	}
	return "no: that of no known release"
}

// worthNote says what results are worth, by what drove their runs.
func worthNote(runs []Run) string {
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
