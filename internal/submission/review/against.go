package review

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Against compares a round with another round's results of the same systems.
type Against struct {
	Round string `json:"round"` // the other round
	// Pairs are the results in both rounds. The largest change is first.
	Pairs []Pair `json:"pairs"`
	// Alone is the number of results without a counterpart in the other round.
	Alone int `json:"alone"`
}

// Pair is a result with its counterpart in the other round.
type Pair struct {
	Result string `json:"result"` // folder of the result
	Other  string `json:"other"`  // folder in the other round
	// SameBy states how the systems were matched: by "folder", by "spelling" of the folder, or by "description".
	SameBy string `json:"same_by"`
	Model  string `json:"model"`
	Unit   string `json:"unit,omitempty"`
	// Is and Was are the result in this round and in the other round; 0: nothing to compare.
	Is  float64 `json:"is,omitempty"`
	Was float64 `json:"was,omitempty"`
	// ChangePercent is the relative difference of Is from Was. For latencies, lower is better.
	ChangePercent *float64     `json:"change_percent,omitempty"`
	Differs       []Difference `json:"differs,omitempty"`
	// Note states why the results are not compared.
	Note string `json:"note,omitempty"`
}

// Difference is a property that differs between the rounds.
type Difference struct {
	About string `json:"about"` // "LoadGen", or a field of the system's description
	Is    string `json:"is"`
	Was   string `json:"was"`
}

// Compare compares the results of a check, restricted to scope, with the results of another round's tree. In the other
// tree it checks only systems with a counterpart. Its errors are those of check.Run.
func Compare(ctx context.Context, t *tree.Tree, report *check.Report, other *tree.Tree, scope Scope) (*Against, error) {
	twins := findCounterparts(t, other)
	sought := map[string]bool{} // systems of the other tree
	for _, r := range report.Results {
		if w, has := twins[systemOf(r.Path)]; has && scope.contains(r.Path) {
			sought[w.other.Results()] = true
		}
	}
	theirs, err := check.Run(ctx, other, check.Options{Only: func(p tree.Place) bool {
		p.Benchmark, p.Scenario = "", ""
		return sought[p.Results()]
	}})
	if err != nil {
		return nil, err
	}
	results := map[[3]string]check.Result{}
	for _, r := range theirs.Results {
		results[[3]string{systemOf(r.Path), r.Model, r.Scenario}] = r
	}
	a := &Against{Round: theirs.Rules, Pairs: []Pair{}}
	for _, r := range report.Results {
		if !scope.contains(r.Path) {
			continue
		}
		twin, ok := twins[systemOf(r.Path)]
		was, ok2 := results[[3]string{twin.other.Results(), r.Model, r.Scenario}]
		if !ok || !ok2 {
			a.Alone++
			continue
		}
		a.Pairs = append(a.Pairs, newPair(r, was, twin))
	}
	slices.SortStableFunc(a.Pairs, func(p, q Pair) int { return cmp.Compare(q.moved(), p.moved()) })
	return a, nil
}

// pair returns the pair of a result and its counterpart in another round.
func newPair(is, was check.Result, w counterpart) Pair {
	p := Pair{Result: is.Path, Other: was.Path, SameBy: w.by, Model: is.Model, Unit: is.Unit, Is: is.Metric,
		Was: was.Metric}
	if is.LoadGen != was.LoadGen {
		p.Differs = append(p.Differs, Difference{"LoadGen", is.LoadGen, was.LoadGen})
	}
	p.Differs = append(p.Differs, w.differs...)
	switch {
	case is.Inferred || was.Inferred:
		p.Note = "inferred from a run of another scenario"
	case !(is.Metric > 0):
		p.Note = "no result in this round"
	case !(was.Metric > 0):
		p.Note = "no result in the other round"
	case is.Unit != was.Unit:
		p.Note = "the other round has " + was.Unit
	default:
		change := (is.Metric/was.Metric - 1) * 100
		p.ChangePercent = &change
	}
	return p
}

// moved returns the absolute change of the result in percent, or -1 if it is unknown.
func (p Pair) moved() float64 {
	if p.ChangePercent == nil {
		return -1
	}
	return math.Abs(*p.ChangePercent)
}

// systemOf returns the folder of a result's system.
func systemOf(result string) string { return path.Dir(path.Dir(result)) }

// counterpart is a system's counterpart in another round.
type counterpart struct {
	other   tree.System
	by      string
	differs []Difference
}

// findCounterparts returns the counterparts of this tree's systems, by folder. A counterpart has the same submitter and
// division. It is the system whose folder has the same name, or else the same name apart from punctuation and case, or
// else the only one with the same hardware in its description.
func findCounterparts(t, other *tree.Tree) map[string]counterpart {
	twins := map[string]counterpart{}
	for _, s := range t.Submitters {
		i := slices.IndexFunc(other.Submitters, func(o tree.Submitter) bool { return o.Folder() == s.Folder() })
		if i < 0 {
			continue
		}
		theirs := map[string]facts{}
		for _, o := range other.Submitters[i].Systems {
			theirs[o.System] = readFacts(other, o.SystemFile())
		}
		for _, system := range s.Systems {
			own := readFacts(t, system.SystemFile())
			if o, by := findCounterpart(system, own, other.Submitters[i].Systems, theirs); by != "" {
				twins[system.Results()] = counterpart{o, by, own.differences(theirs[o.System])}
			}
		}
	}
	return twins
}

// findCounterpart returns the counterpart of a system in another round and how it was matched. by is "" if there is
// none or the match is ambiguous.
func findCounterpart(s tree.System, own facts, others []tree.System, theirs map[string]facts) (o tree.System,
	by string) {
	for _, m := range []struct {
		by   string
		same func(o tree.System) bool
	}{
		{"folder", func(o tree.System) bool { return o.System == s.System }},
		{"spelling", func(o tree.System) bool { return foldName(o.System) == foldName(s.System) }},
		{"description", func(o tree.System) bool { return own.hasHardware() && own.hasSameHardware(theirs[o.System]) }},
	} {
		var found []tree.System
		for _, o := range others {
			if m.same(o) {
				found = append(found, o)
			}
		}
		if len(found) == 1 {
			return found[0], m.by
		}
	}
	return o, ""
}

// foldName returns a name without punctuation and in lower case.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
