package standing

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Divisor is the divisor of a result.
type Divisor string

// The divisors. PerWatt uses the result's measured power. For a latency it ranks the energy per query, which is the
// power result in such scenarios.
const (
	PerSystem      Divisor = "" // not divided
	PerAccelerator Divisor = "accelerator"
	PerNode        Divisor = "node"
	PerWatt        Divisor = "watt"
)

// ParseDivisor parses a user's choice.
func ParseDivisor(text string) (Divisor, error) {
	for _, p := range []Divisor{PerSystem, PerAccelerator, PerNode, PerWatt} {
		if text == string(p) || text == "system" && p == PerSystem {
			return p, nil
		}
	}
	return "", sdk.Usage(fmt.Errorf("--per %s is not known, want accelerator, node or watt", text))
}

// Options selects the results to rank.
type Options struct {
	Division     string // empty: all
	Availability string // empty: all
	Per          Divisor
}

// Ranking contains the results of one benchmark and scenario with one unit, the best first.
type Ranking struct {
	Benchmark    string  `json:"benchmark"` // name in the rules
	Scenario     string  `json:"scenario"`
	Division     string  `json:"division"`     // "all" if the user chose none
	Availability string  `json:"availability"` // "all" if the user chose none
	Per          Divisor `json:"per,omitempty"`
	Unit         string  `json:"unit"` // unit of RankedEntry.Value
	HigherBetter bool    `json:"higher_is_better"`

	// OwnRun contains the user's runs, each with what is not comparable. Their places count only published results.
	Own       []OwnRun       `json:"own"`
	Published int            `json:"published"` // number of ranked results that are not the user's
	Entries   []RankedEntry  `json:"entries"`   // the best first, including the own runs; entries without a place are last
	Spread    ValueSpread    `json:"spread"`
	Rounds    []RoundResults `json:"rounds"` // oldest first
	Rules     []string       `json:"rules"`  // differences between the rules of the rounds
	LeftOut   []string       `json:"left_out"`
}

// ValueSpread contains the minimum, median, maximum and quartiles of the published values.
type ValueSpread struct {
	Least        figure.Number `json:"least"`
	LowerQuarter figure.Number `json:"lower_quarter"`
	Median       figure.Number `json:"median"`
	UpperQuarter figure.Number `json:"upper_quarter"`
	Largest      figure.Number `json:"largest"`
}

// RoundResults contains a round's published results in the ranking.
type RoundResults struct {
	Name    string        `json:"round"`
	Results int           `json:"results"`
	Median  figure.Number `json:"median"`
	Best    RankedEntry   `json:"best"`
}

// ErrNoComparable is in the chain of Rank's error if no published result can be ranked with a run.
var ErrNoComparable = errors.New("nothing to rank the run among")

// Rank ranks each own run among the published results of its benchmark and scenario. It returns one ranking per
// benchmark and scenario, in the order of own.
func Rank(published []Published, own []OwnRun, o Options) ([]Ranking, error) {
	var all []Ranking
	var faults []error
	for _, group := range groupOwn(own) {
		r, err := makeRanking(published, group, o)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, errors.Join(faults...)
	}
	for i := range all {
		for _, fault := range faults {
			all[i].LeftOut = append(all[i].LeftOut, fault.Error())
		}
	}
	return all, nil
}

// groupOwn groups the runs by benchmark and scenario.
func groupOwn(own []OwnRun) (all [][]OwnRun) {
	for _, r := range own {
		i := slices.IndexFunc(all, func(g []OwnRun) bool { return g[0].Model == r.Model && g[0].Scenario == r.Scenario })
		if i < 0 {
			all, i = append(all, nil), len(all)
		}
		all[i] = append(all[i], r)
	}
	return all
}

// makeRanking ranks runs of the same benchmark and scenario.
func makeRanking(published []Published, own []OwnRun, o Options) (Ranking, error) {
	r := Ranking{
		Benchmark: own[0].Model, Scenario: own[0].Scenario, Division: cmp.Or(o.Division, "all"),
		Availability: cmp.Or(o.Availability, "all"), Per: o.Per, Entries: []RankedEntry{}, Rounds: []RoundResults{},
		Rules: []string{}, LeftOut: []string{},
	}
	m, err := newMeasure(own[0].Result.Unit, own[0].Scenario, o.Per)
	if err != nil {
		return r, fmt.Errorf("%s %s: %w", r.Benchmark, r.Scenario, err)
	}
	r.Unit, r.HigherBetter = m.unit, m.higher
	left := leftOutCounts{}
	rounds := map[string]bool{}
	for _, p := range published {
		for _, e := range p.Results {
			if !isSameBenchmark(e, own[0]) || isOwn(e, own) {
				continue
			}
			if why := o.unfitReason(e); why != "" {
				left.addReason(why)
			} else if why := m.setValue(&e, own[0].Result.Unit); why != "" {
				left.addReason(why)
			} else {
				r.Entries, rounds[e.Round] = append(r.Entries, e), true
			}
		}
		left.countWithout(p, own[0])
	}
	if r.LeftOut = left.reasonTexts(); len(r.Entries) == 0 {
		return r, emptyError(r, published, own[0])
	}
	r.Published = len(r.Entries)
	r.orderEntries()
	r.setSpread()
	r.setProgress()
	r.addOwn(own, m)
	r.Rules = ruleDifferences(slices.Collect(maps.Keys(rounds)), own[0])
	return r, nil
}

// isSameBenchmark reports whether a result has the benchmark and scenario of a run.
func isSameBenchmark(e RankedEntry, own OwnRun) bool {
	if e.Scenario != own.Scenario {
		return false
	}
	rules, err := mlconf.Round(e.Round)
	return err == nil && isModel(rules, own.Model, e.Benchmark, e.Model)
}

// isOwn reports whether a result is one of the own runs, which may be in the same tree.
func isOwn(e RankedEntry, own []OwnRun) bool {
	return slices.ContainsFunc(own, func(o OwnRun) bool { return o.Published && o.at == e.at })
}

// unfitReason returns the reason why a result is not ranked, or "".
func (o Options) unfitReason(e RankedEntry) string {
	switch {
	case o.Division != "" && e.Division != o.Division:
		return "of the division " + e.Division
	case o.Availability != "" && e.Availability != o.Availability:
		return "with the status " + cmp.Or(e.Availability, "none")
	}
	return ""
}

// emptyError explains an empty ranking.
func emptyError(r Ranking, published []Published, own OwnRun) error {
	names := make([]string, len(published))
	for i, p := range published {
		names[i] = p.Tree + " (" + p.Round.Name + ")"
	}
	text := fmt.Sprintf("no published result of %s in %s", own.Model, own.Scenario)
	if r.Division != "all" {
		text += ", division " + r.Division
	}
	if r.Per != "" {
		text += ", per " + string(r.Per)
	}
	text += " in " + strings.Join(names, ", ")
	if len(r.LeftOut) > 0 {
		text += "; left out: " + strings.Join(r.LeftOut, "; ")
	} else if known := otherResults(published); known != "" {
		text += "; they have " + known
	}
	return sdk.Data(fmt.Errorf("%w: %s", ErrNoComparable, text))
}

// otherResults lists some benchmarks with results in the trees. The trees may have a hundred.
func otherResults(published []Published) string {
	const most = 12
	found := map[string]bool{}
	for _, p := range published {
		for _, e := range p.Results {
			found[e.Model+" "+e.Scenario] = true
		}
	}
	names := slices.Sorted(maps.Keys(found))
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// orderEntries sorts the entries and sets their places.
func (r *Ranking) orderEntries() {
	slices.SortStableFunc(r.Entries, func(a, b RankedEntry) int {
		c := cmp.Compare(float64(a.Value), float64(b.Value))
		if r.HigherBetter {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.Round, b.Round), cmp.Compare(a.Name(), b.Name()), cmp.Compare(a.Folder, b.Folder))
	})
	for i := range r.Entries {
		r.Entries[i].Place = i + 1
		if i > 0 && r.Entries[i].Value == r.Entries[i-1].Value {
			r.Entries[i].Place = r.Entries[i-1].Place
		}
	}
}

// publishedValues returns the published values in ascending order.
func (r *Ranking) publishedValues() []float64 {
	all := make([]float64, len(r.Entries))
	for i, e := range r.Entries {
		all[i] = float64(e.Value)
	}
	slices.Sort(all)
	return all
}

func (r *Ranking) setSpread() {
	v := r.publishedValues()
	r.Spread = ValueSpread{
		figure.Number(v[0]), quantile(v, .25), quantile(v, .5), quantile(v, .75), figure.Number(v[len(v)-1]),
	}
}

// quantile returns a quantile of ascending values with linear interpolation.
func quantile(v []float64, q float64) figure.Number {
	at := q * float64(len(v)-1)
	low := int(at)
	high := min(low+1, len(v)-1)
	return figure.Number(v[low] + (at-float64(low))*(v[high]-v[low]))
}

// setProgress sets the best result and the median of each round.
func (r *Ranking) setProgress() {
	of := map[string][]RankedEntry{}
	for _, e := range r.Entries {
		of[e.Round] = append(of[e.Round], e)
	}
	known := mlconf.Rounds() // newest first
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return slices.Index(known, b) - slices.Index(known, a)
	})
	for _, name := range names {
		v := make([]float64, len(of[name]))
		for i, e := range of[name] {
			v[i] = float64(e.Value)
		}
		slices.Sort(v)
		r.Rounds = append(r.Rounds, RoundResults{name, len(v), quantile(v, .5), of[name][0]})
	}
}

// addOwn adds the own runs to the ranking. The place of a run is one more than the number of better published results.
func (r *Ranking) addOwn(own []OwnRun, m comparableMeasure) {
	for _, o := range own {
		o.RankedEntry.Own = true
		if why := m.setValue(&o.RankedEntry, own[0].Result.Unit); why != "" {
			o.NoPlace = append(o.NoPlace, "the run is "+why)
		}
		if len(o.NoPlace) == 0 {
			o.Place = 1 + r.countBetter(float64(o.Value))
		}
		o.Compared = r.compareOwn(o)
		r.Own = append(r.Own, o)
	}
	for _, o := range r.Own {
		at := len(r.Entries)
		if o.Place > 0 {
			at = slices.IndexFunc(r.Entries, func(e RankedEntry) bool { return e.Place == 0 || !r.isBefore(e, o.RankedEntry) })
			if at < 0 {
				at = len(r.Entries)
			}
		}
		r.Entries = slices.Insert(r.Entries, at, o.RankedEntry)
	}
}

// isBefore reports whether entry a is better than b.
func (r *Ranking) isBefore(a, b RankedEntry) bool {
	if r.HigherBetter {
		return a.Value > b.Value
	}
	return a.Value < b.Value
}

// countBetter counts the published results that are better than a value.
func (r *Ranking) countBetter(v float64) (n int) {
	for _, e := range r.Entries {
		if !e.Own && r.isBefore(e, RankedEntry{Value: figure.Number(v)}) {
			n++
		}
	}
	return n
}
