package standing

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// OwnRun is a run that is ranked among published results.
type OwnRun struct {
	RankedEntry
	// Kind describes the run: "a rehearsal", "a run of the official LoadGen, not reviewed", "a result in a tree".
	Kind    string `json:"kind"`
	Verdict string `json:"verdict,omitempty"`
	// Published is true if the run is in a tree of results. Its figures are then the tree's.
	Published bool     `json:"in_a_tree"`
	NoPlace   []string `json:"no_place"` // reasons for a missing place; empty if it has one
	Marks     []string `json:"marks"`    // differences from published results
	// ComparedProperty compares the run with the published results in its ranking.
	Compared []ComparedProperty `json:"compared"`

	accuracyOutcome string // "PASS"
}

// StatedMachine contains the user's statements about a run's machine that the record lacks. A zero means no statement.
type StatedMachine struct {
	Accelerators int // of all nodes
	Nodes        int
	Watts        float64
}

// maxOwnRuns limits the runs that are ranked at once.
const maxOwnRuns = 60

// ErrNoRun is in the error's chain if a folder has no run to rank.
var ErrNoRun = errors.New("no run to rank")

// OwnFromResults returns the runs to rank: all complete performance runs except those of audits, each with its accuracy
// run. If no run can be ranked, err contains the reasons; otherwise faults contains those of the runs left out.
func OwnFromResults(name string, set results.Set) (own []OwnRun, faults []string, err error) {
	for _, f := range set.Runs {
		if f.Mode != "performance" || f.Test != "" || f.Serving != nil {
			continue
		}
		o, err := newOwn(f, findAccuracy(set.Runs, f))
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", f.LogFolder(), err))
			continue
		}
		own = append(own, o)
	}
	switch {
	case len(own) > 0:
		return own, append(faults, set.Skipped...), nil
	case len(faults) > 0:
		return nil, nil, sdk.Data(fmt.Errorf("%w in %s: %s", ErrNoRun, name, strings.Join(faults, "; ")))
	}
	return nil, nil, sdk.Data(fmt.Errorf("%w in %s: it has %s; want a performance run of a benchmark", ErrNoRun, name,
		runModes(set.Runs)))
}

// runModes lists the modes of the runs.
func runModes(runs []results.FoundRun) string {
	var kinds []string
	for _, f := range runs {
		if kind := "runs of kind " + f.Kind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return cmp.Or(strings.Join(kinds, ", "), "none")
}

// findAccuracy returns the accuracy of the accuracy run for a performance run, or nil if there is none.
func findAccuracy(runs []results.FoundRun, f results.FoundRun) *record.Accuracy {
	for _, r := range runs {
		if r.Mode == "accuracy" && r.Test == "" && r.Model == f.Model && r.Scenario == f.Scenario && r.Accuracy != nil &&
			r.Place.String() == f.Place.String() {
			return r.Accuracy
		}
	}
	return nil
}

// newOwn returns a run to rank. It reads the figure from the run's log, as for published results.
func newOwn(f results.FoundRun, accuracy *record.Accuracy) (OwnRun, error) {
	if f.Rules == "" {
		return OwnRun{}, errors.New("the round of the run is not known: its log has seeds of no round")
	}
	rules, err := mlconf.Round(f.Rules)
	if err != nil {
		return OwnRun{}, err
	}
	model := rules.Canonical(cmp.Or(f.RulesKey, f.Model))
	if f.Place != nil {
		model, _ = rules.ModelOf(f.Place.Benchmark, nil)
	}
	o := OwnRun{RankedEntry: RankedEntry{
		Own: true, Round: rules.Name, Division: f.Division, Benchmark: model, Model: model,
		Scenario: mlconf.ScenarioOf(f.Scenario, f.LoadGenKey), System: "your run", Accuracy: []result.Figure{},
		Processor: f.System.CPU, Accelerator: f.Stated.System["accelerator"], Folder: filepath.ToSlash(f.LogFolder()),
	}, Verdict: f.Verdict, NoPlace: []string{}, Marks: []string{}}
	if o.Result, err = readFigure(f, rules, o); err != nil {
		return OwnRun{}, err
	}
	o.setPower(f.Power)
	o.judgeRun(f, accuracy)
	return o, nil
}

// readFigure reads the published figure of a run from its detail log.
func readFigure(f results.FoundRun, rules *mlconf.Rules, o OwnRun) (result.Figure, error) {
	m, ok := rules.Metric(o.Model, o.Scenario)
	if !ok {
		return result.Figure{}, fmt.Errorf("it is not known how results of %s in %s are published in round %s", o.Model,
			o.Scenario, rules.Name)
	}
	in, err := bounded.Open(filepath.Join(f.LogFolder(), mllog.DetailFile))
	if err != nil {
		return result.Figure{}, fmt.Errorf("the log of the run: %w", err)
	}
	defer func() { _ = in.Close() }() // opened for reading
	log, err := mllog.ScanDetail(in)
	if err != nil {
		return result.Figure{}, err
	}
	e, ok := log.First(m.Key)
	logged, isNumber := e.Float()
	if !ok || !isNumber {
		return result.Figure{}, fmt.Errorf("the log has no result: %s is missing", m.Key)
	}
	text := result.FormatNumber(m.Value(logged))
	shown, _ := result.RoundText(text)
	return result.Figure{Text: text, Rounded: shown, Unit: m.Unit}, nil
}

// setPower sets the power result from a meter's measurement.
func (o *OwnRun) setPower(p *record.Power) {
	if p == nil || p.Fault != "" {
		return
	}
	figure, unit := p.Average, "Watts"
	if isLatency(o.Result.Unit) {
		figure, unit = p.Energy, "millijoules"
	}
	if figure != nil {
		o.Power = &result.Figure{Text: result.FormatNumber(float64(figure.Value)), Rounded: figure.Rounded, Unit: unit}
		o.Marks = append(o.Marks, "power: "+record.PowerNote)
	}
}

// ApplyMachine completes the run with the user's statements about its machine.
func (o *OwnRun) ApplyMachine(m StatedMachine) {
	o.Accelerators, o.Nodes = cmp.Or(m.Accelerators, o.Accelerators), cmp.Or(m.Nodes, o.Nodes)
	if m.Watts > 0 {
		o.Power = &result.Figure{Text: result.FormatNumber(m.Watts), Unit: "Watts"}
		o.Power.Rounded, _ = result.RoundText(o.Power.Text)
		o.Marks = append(o.Marks, "power: as the command line says, "+strconv.FormatFloat(m.Watts, 'g', -1, 64)+" W")
		if isLatency(o.Result.Unit) {
			o.Power = nil // the ranked value is the energy per query
		}
	}
}

// judgeRun sets the kind of the run and its differences from published results.
func (o *OwnRun) judgeRun(f results.FoundRun, accuracy *record.Accuracy) {
	o.Kind = "a rehearsal"
	note := record.NewDocument([]record.Run{f.Run}).Note
	switch {
	case !strings.Contains(note, "rehearsal"):
		o.Kind = "a run of the official LoadGen, not reviewed"
	case f.Place != nil:
		o.Kind = "logs in a folder, not reviewed"
	default:
		o.Marks = append(o.Marks, note)
	}
	if f.Status != record.Complete {
		o.NoPlace = append(o.NoPlace, "the run is "+string(f.Status))
	} else if f.Performance == nil || !f.Performance.Valid {
		o.NoPlace = append(o.NoPlace, "the run is INVALID"+reasonsText(f.Reasons))
	}
	if v, err := strconv.ParseFloat(o.Result.Text, 64); err == nil && v <= 0 && len(o.NoPlace) == 0 {
		o.NoPlace = append(o.NoPlace, "the run has no result: it is "+o.Result.Text)
	}
	o.markStandIns(f)
	o.setAccuracy(accuracy)
}

// markStandIns marks the substitutes that a run used for what the rules require.
func (o *OwnRun) markStandIns(f results.FoundRun) {
	if f.Profile != "" && f.Profile != "official" {
		o.Marks = append(o.Marks, "settings: "+f.Profile+", not the durations and counts of the rules")
	}
	if w := f.Workload; w != nil && w.Embedded {
		o.Marks = append(o.Marks, "model: a small one of this program's own, not the benchmark's")
	}
	if f.Workload != nil && f.Options.Dataset == "" {
		o.Marks = append(o.Marks, "data: "+f.Workload.Dataset+", not the benchmark's")
	}
	for _, e := range f.Estimates {
		o.Marks = append(o.Marks, "an estimate: "+e)
	}
}

func reasonsText(reasons []record.Reason) string {
	if len(reasons) == 0 {
		return ""
	}
	texts := make([]string, len(reasons))
	for i, r := range reasons {
		texts[i] = fmt.Sprintf("%s %s, needed %s", r.Rule, r.Measured, r.Needed)
	}
	return ": " + strings.Join(texts, "; ")
}

func (o *OwnRun) setAccuracy(a *record.Accuracy) {
	if a == nil {
		o.Marks = append(o.Marks, "accuracy: not known, there is no scored accuracy run beside it")
		return
	}
	o.accuracyOutcome = string(a.Outcome)
	for _, m := range a.Metrics {
		o.Accuracy = append(o.Accuracy, result.Figure{Name: m.Name, Text: result.FormatNumber(float64(m.Value)),
			Rounded: m.Rounded,
			Unit:    m.Unit})
	}
	if a.Outcome != "PASS" {
		o.Marks = append(o.Marks, "accuracy: "+string(a.Outcome)+" ("+a.Basis+")")
	}
}

// OwnFromTree returns the runs to rank in a tree, or below a folder of one.
func OwnFromTree(name string, w ReadFilter) ([]OwnRun, []string, error) {
	p, err := ReadTree(name, w)
	if err != nil {
		return nil, nil, err
	}
	faults := make([]string, len(p.Without))
	for i, w := range p.Without {
		faults[i] = w.Folder + ": " + strings.Join(w.Reasons, "; ")
	}
	var own []OwnRun
	for _, e := range p.Results {
		e.Own = true
		own = append(own, OwnRun{RankedEntry: e, Kind: "a result in a tree of " + p.Round.Name, Published: true,
			NoPlace: []string{},
			Marks:   []string{}})
	}
	switch {
	case len(own) > maxOwnRuns:
		return nil, nil, sdk.Usage(fmt.Errorf("%s has %d results, want at most %d to rank: name the folder of a system, or "+
			"a --benchmark", name, len(own), maxOwnRuns))
	case len(own) > 0:
		return own, faults, nil
	case len(faults) > 0:
		return nil, nil, sdk.Data(fmt.Errorf("%w in %s, by the checker of round %s: %s", ErrNoRun, name, p.Round.Name,
			strings.Join(faults, "; ")))
	}
	return nil, nil, sdk.Data(fmt.Errorf("%w in %s: no result of what was asked for lies there", ErrNoRun, name))
}

// IsInTree reports whether a folder is a submission's tree or inside one.
func IsInTree(dir string) bool {
	_, _, ok := tree.RootOf(dir)
	return ok
}

// ChooseOwn selects the runs of a benchmark and of scenarios; empty: all. For a model with two accuracy targets,
// benchmark selects the target.
func ChooseOwn(own []OwnRun, benchmark string, scenarios []string) ([]OwnRun, error) {
	var chosen []OwnRun
	for _, o := range own {
		rules, err := mlconf.Round(o.Round)
		if err != nil {
			return nil, err
		}
		if benchmark != "" {
			model, _ := rules.ModelOf(benchmark, nil)
			if mlconf.Family(model) != mlconf.Family(o.Model) {
				continue
			}
			o.Model = model
		}
		if len(scenarios) > 0 && !slices.Contains(scenarios, o.Scenario) {
			continue
		}
		chosen = append(chosen, o)
	}
	if len(chosen) == 0 {
		var known []string
		for _, o := range own {
			if name := o.Model + " " + o.Scenario; !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		return nil, sdk.Usage(fmt.Errorf("%w: no run of %s; there are runs of %s", ErrNoRun,
			strings.TrimSpace(benchmark+" "+strings.Join(scenarios, ", ")), strings.Join(known, ", ")))
	}
	return chosen, nil
}
