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
	Round string `json:"round"` // the other
	// Pairs are results that both have, the one that moved most first.
	Pairs []Pair `json:"pairs"`
	// Alone are the results that the other round has nothing of.
	Alone int `json:"alone"`
}

// Pair is one result in both rounds.
type Pair struct {
	Result string `json:"result"` // its folder
	Other  string `json:"other"`  // the folder in the other round
	// SameBy says how the systems were found to be one: "folder", "spelling" of the folder, or "description".
	SameBy string `json:"same_by"`
	Model  string `json:"model"`
	Unit   string `json:"unit,omitempty"`
	// Is and Was are the result now and in the other round; 0: there is none to compare.
	Is  float64 `json:"is,omitempty"`
	Was float64 `json:"was,omitempty"`
	// ChangePercent is by how much Is is above Was; of latencies less is better.
	ChangePercent *float64     `json:"change_percent,omitempty"`
	Differs       []Difference `json:"differs,omitempty"`
	// Note says why the results are not compared.
	Note string `json:"note,omitempty"`
}

// Difference is a fact that differs between the rounds.
type Difference struct {
	About string `json:"about"` // "LoadGen", or a field of the system's description
	Is    string `json:"is"`
	Was   string `json:"was"`
}

// Compare sets the results of a check, those of a part of its tree, beside those of another round's tree. Of the other
// tree it checks only systems that have a counterpart. The errors are those of check.Run.
func Compare(ctx context.Context, t *tree.Tree, report *check.Report, other *tree.Tree, scope Scope) (*Against, error) {
	twins := twinsOf(t, other)
	sought := map[string]bool{} // systems of the other tree
	for _, r := range report.Results {
		if w, has := twins[systemOf(r.Path)]; has && scope.holds(r.Path) {
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
		if !scope.holds(r.Path) {
			continue
		}
		twin, ok := twins[systemOf(r.Path)]
		was, ok2 := results[[3]string{twin.other.Results(), r.Model, r.Scenario}]
		if !ok || !ok2 {
			a.Alone++
			continue
		}
		a.Pairs = append(a.Pairs, pair(r, was, twin))
	}
	slices.SortStableFunc(a.Pairs, func(p, q Pair) int { return cmp.Compare(q.moved(), p.moved()) })
	return a, nil
}

// pair is a result beside that of another round.
func pair(is, was check.Result, w twin) Pair {
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

// moved is by how many percent the result changed, up or down; -1 where that is not known.
func (p Pair) moved() float64 {
	if p.ChangePercent == nil {
		return -1
	}
	return math.Abs(*p.ChangePercent)
}

// systemOf is the folder of a result's system.
func systemOf(result string) string { return path.Dir(path.Dir(result)) }

// twin is a system's counterpart in another round.
type twin struct {
	other   tree.System
	by      string
	differs []Difference
}

// twinsOf finds the systems that two trees have in common, by the folder of this one. They are of one submitter and
// division. A system is the other round's whose folder has the same name, else the same name but for marks and
// capitals, else the only one that describes the same hardware.
func twinsOf(t, other *tree.Tree) map[string]twin {
	twins := map[string]twin{}
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
			if o, by := match(system, own, other.Submitters[i].Systems, theirs); by != "" {
				twins[system.Results()] = twin{o, by, own.differ(theirs[o.System])}
			}
		}
	}
	return twins
}

// match is the system of another round that is the same, and by what; "" where there is none, or nobody can say which.
func match(s tree.System, own facts, others []tree.System, theirs map[string]facts) (o tree.System, by string) {
	for _, m := range []struct {
		by   string
		same func(o tree.System) bool
	}{
		{"folder", func(o tree.System) bool { return o.System == s.System }},
		{"spelling", func(o tree.System) bool { return spelling(o.System) == spelling(s.System) }},
		{"description", func(o tree.System) bool { return own.hardware() && own.sameHardware(theirs[o.System]) }},
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

// spelling is a name without marks and capitals.
func spelling(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
