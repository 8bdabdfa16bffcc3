package plan

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// Request is what a user asks for, in sections: each flag of harness run, and what a process knows of itself. Zero
// values mean the default. Errors name a field as its flag does.
type Request struct {
	Plugins Plugins // where they are, and how they are started and watched
	Model   Model   // what is run, and how
	Data    Data    // what it is run on, and how its accuracy is judged
	Load    Load    // which runs are made, and what asks the model
	Rules   Rules   // what decides about settings
	Power   Power   // what is measured beside the runs
	Output  Output  // where results go, and what they say of the runs
}

// Model is what is run, and how: the model and its files, the backend and its options.
type Model struct {
	Name string // of a model or a benchmark
	// Files is one name of a manifest file, or one path; or PART=NAME or PART=PATH for each part of a model that has
	// several. Empty: the embedded one.
	Files     []string
	Finder    Files    // finds files of a manifest that are not embedded; nil: in the working directory alone
	Precision string   // of the embedded file
	Params    []string // key=value: the benchmark's own

	Backend        string
	Devices        []string // what to run on, as the backend names them; empty: the backend's choice
	BackendOptions []string // key=value
	// BackendSecrets are further options of the backend, which are shown nowhere. SecretSources say
	// where their values are.
	BackendSecrets map[string]string
	SecretSources  []string // key=env:NAME or key=file:PATH
	// Env looks up the environment variables that SecretSources and options of the backend name; nil: none is set.
	Env func(name string) string
	// Secrets learns what no text may show of the request, for those who print texts of their own; nil: nobody.
	Secrets *Secrets
	Threads int    // shortcut for the backend option "threads"
	ORTLib  string // shortcut for the backend option "lib"

	Batch    int
	Sessions int
	// Tuning is the path of a profile of harness tune, or NoTuning; empty: the one in the folder
	// Profiles that fits, if any.
	Tuning, Profiles string
}

// Data is what a model is run on, and how its accuracy is judged.
type Data struct {
	Path string // of a data set; empty: the plugin's own
	// AccuracyPath and AuditPath are of models whose accuracy runs, or whose compliance tests, have data sets of their own
	// (sdk.DatasetInfo.Use); empty: Path.
	AccuracyPath, AuditPath string
	Count                   int
	CountAtMost             bool // of a data set with fewer samples than Count all run

	Targets []string // metric=value: the least that an accuracy run must reach
	Expect  string   // path of a file of expected answers; empty: none
	// ScorerModels are the models of the scorer, if it runs any: PART=PATH. Those that are not here are the embedded ones.
	ScorerModels []string
}

// Load is which runs are made, and how the model is asked in them.
type Load struct {
	Scenarios []string // names or "all"; empty: all that the model's rules list
	// Mode is "performance", "accuracy", "submission" or "findpeak"; empty: performance of each scenario, then accuracy
	// once, and with audit settings performance alone.
	Mode string
	// Concurrency asks for a closed loop in place of LoadGen's scenarios: so many users wait for answers. It is for
	// benchmarks of language models. 0: none.
	Concurrency int
	// Requests and Duration are how long a closed loop lasts: so many requests, or so long, whichever comes first. Both 0:
	// a minute and a hundred requests, or four requests of each user under smoke settings.
	Requests int
	Duration time.Duration

	Pace       string // how Server queries are timed: "default" or "precise"; empty: default
	AbortEarly bool   // end a run as soon as it can only end INVALID
	// KeepProcessors leaves GOMAXPROCS alone. Else it is 1 while SingleStream runs, as for every query another thread
	// would be woken, on a core that the model is about to compute on.
	KeepProcessors bool
}

// Rules are what decides about the settings of runs.
type Rules struct {
	Round string // whose rules apply: "v6.1"; empty: the newest
	// Division is "closed", "network" or "open"; empty: closed.
	Division string
	// SystemType is what the runs are submitted for: where Load.Scenarios is empty, those that the round has of the model
	// on such systems are run in the closed and the network division. Empty: nothing is left out.
	SystemType mlconf.SystemType
	Official   bool
	Smoke      bool

	UserConf string
	Set      []string // [scenario.]key=value
	Audit    string   // path of an audit.config to apply; empty: none
	// Test is the compliance test that the runs are made for. It takes the place of Audit.
	Test Test
	// IgnoreUnknownKeys makes keys of those two files that LoadGen does not know notes instead of faults.
	IgnoreUnknownKeys bool

	// LoadGen drives the runs: "plumbline", which empty means, or "official", whose library (package loadgen/official) is
	// the file OfficialLoadGen.
	LoadGen, OfficialLoadGen string
}

// Power is what is measured beside timed runs.
type Power struct {
	Meter    string        // "rapl", "rapl:ROOT", "cmd:COMMAND" or "file:SPL"; empty: none
	Interval time.Duration // between two readings; 0: a second
	Ranging  bool          // make a run like it before each timed one
	// Logs is a folder with the logs of the official power tools' session in which the one timed run is made: they are
	// taken as they are. Empty: there are none.
	Logs string
}

// Output is where results go, and what they say of the runs.
type Output struct {
	Dir   string // the folder of results; empty: a free one named out
	Force bool   // replace results that are there, once there are new ones
	// Listed says that the output folder lists these runs among others that are still to be made: one that fails before
	// its test stays in the records there. Else such a failure leaves the folder as it was.
	Listed bool

	// System is a file of what the machine does not say of itself, Note a remark, and PrecisionLabel the precision of a
	// model of the user's own: they are written down with the results.
	System, Note, PrecisionLabel string
	// Identity is what results call the runs, where several are shown: a label, and the place among those of one command.
	Identity record.Identity

	Trace bool // write mlperf_log_trace.json too, which is large
	// Exports are written beside the logs of each timed run: of each query, as far as they are at most ExportRows samples
	// (0: export.DefaultRows), else of every n-th.
	Exports    []export.Format
	ExportRows int
	Watch      Watch

	// What results say of the program that makes them, and of when and where they are made: its version and how it was
	// started; the clock, nil for time.Now; the machine's file system, nil for "/".
	Harness record.Harness
	Command []string
	Now     func() time.Time
	Machine fs.FS
}

// Secrets hides what it has learned in texts. The zero value knows nothing. Any goroutine may use it.
type Secrets = secret.Keeper

// The modes of a request.
const (
	ModePerformance = "performance"
	ModeAccuracy    = "accuracy"
	ModeSubmission  = "submission"
	ModeFindPeak    = "findpeak"
)

// ModeRanging is the mode of runs that come before those of ModePerformance with PowerRanging; no request asks for it.
const ModeRanging = "ranging"

// everyScenario is the word for all scenarios of a model.
const everyScenario = "all"

// scenarios returns those asked for, of the ones that the division has, in the order of the model's rules, without
// doubles; and which are left out since the submission does not have them, with the reason.
func (r Request) scenarios(m sdk.ModelInfo, d division.Division) (in []loadgen.Scenario, left []string, err error) {
	served := d.Scenarios(m.Scenarios)
	if len(served) == 0 {
		return nil, nil, fmt.Errorf("--division %s runs Server and Offline, and %s has %s", d, m.Name,
			strings.Join(names(m.Scenarios), ", "))
	}
	if len(r.Load.Scenarios) == 0 {
		return r.submitted(m, d, served)
	}
	wanted := map[loadgen.Scenario]bool{}
	for _, name := range r.Load.Scenarios {
		if strings.EqualFold(name, everyScenario) {
			return served, nil, nil
		}
		s, err := loadgen.ParseScenario(name)
		if err != nil {
			return nil, nil, fmt.Errorf("--scenario: %w", r.unknownScenario(name, m, served))
		}
		wanted[s] = true
	}
	for _, s := range served {
		if wanted[s] {
			in = append(in, s)
			delete(wanted, s)
		}
	}
	for s := range wanted {
		if slices.Contains(m.Scenarios, s) {
			return nil, nil, fmt.Errorf("--scenario %v: --division %s runs Server and Offline alone, the datacenter suite", s,
				d)
		}
		return nil, nil, fmt.Errorf("--scenario: the rules have no %v scenario for %s; it runs %s", s, m.Name,
			strings.Join(names(served), ", "))
	}
	return in, nil, nil
}

// submitted are the scenarios that a submission of the model may have on systems of the request's type. The open
// division has all.
func (r Request) submitted(m sdk.ModelInfo, d division.Division, served []loadgen.Scenario) (in []loadgen.Scenario,
	left []string, err error) {
	if r.Rules.SystemType == "" || d == division.Open {
		return served, nil, nil
	}
	round, err := mlconf.Round(r.Rules.Round)
	if err != nil {
		return nil, nil, err
	}
	has := round.Scenarios(m.RulesKey, r.Rules.SystemType)
	if len(has) == 0 {
		return nil, nil, fmt.Errorf("rules %s have no %s for systems of type %s, they have %s: run another model, choose "+
			"another --system-type, or name the scenarios with --scenario", round.Name, cmp.Or(m.RulesKey, m.Name),
			r.Rules.SystemType,
			cmp.Or(strings.Join(round.ModelsFor(r.Rules.SystemType), ", "), "none"))
	}
	for _, s := range served {
		if slices.Contains(has, mlconf.ScenarioOf(s.String(), m.LoadGenKey)) {
			in = append(in, s)
			continue
		}
		left = append(left, fmt.Sprintf("%v: rules %s have none of %s for systems of type %s", s, round.Name, m.RulesKey,
			r.Rules.SystemType))
	}
	for _, name := range round.RequiredScenarios(m.RulesKey, r.Rules.SystemType) {
		runs := func(s loadgen.Scenario) bool { return mlconf.ScenarioOf(s.String(), m.LoadGenKey) == name }
		if !slices.ContainsFunc(in, runs) {
			left = append(left, fmt.Sprintf("%s: rules %s ask for it of %s for systems of type %s, and %s does not run it",
				name, round.Name, m.RulesKey, r.Rules.SystemType, m.Name))
		}
	}
	if len(in) == 0 {
		return nil, nil, fmt.Errorf("rules %s have %s of %s for systems of type %s, and %s runs %s", round.Name,
			strings.Join(has, ", "), m.RulesKey, r.Rules.SystemType, m.Name, strings.Join(names(served), ", "))
	}
	return in, left, nil
}

// unknownScenario is the error of a name that LoadGen has no scenario of. Interactive is one of submissions: LoadGen
// runs it as Server, under the limits of a model of its own.
func (r Request) unknownScenario(name string, m sdk.ModelInfo, served []loadgen.Scenario) error {
	known := append(names(served), everyScenario)
	if !strings.EqualFold(name, mlconf.Interactive) {
		return suggest.Unknown("scenario", name, known)
	}
	server := loadgen.Server.String()
	if mlconf.ScenarioOf(server, m.LoadGenKey) == mlconf.Interactive {
		return fmt.Errorf("%s runs %s as %s: give --scenario %s, or leave it out", m.Name, name, server, server)
	}
	round, err := mlconf.Round(r.Rules.Round)
	if err != nil {
		return err
	}
	for _, system := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
		if slices.Contains(round.Scenarios(m.RulesKey, system), mlconf.Interactive) {
			return fmt.Errorf("%s is %s under the limits of another model: name %s-interactive, with --scenario %s", name,
				server, m.Name, server)
		}
	}
	return fmt.Errorf("rules %s have no %s of %s (known: %s)", round.Name, name, m.Name, strings.Join(known, ", "))
}

func names(scenarios []loadgen.Scenario) []string {
	return lists.Map(scenarios, loadgen.Scenario.String)
}

// step is one run of a plan, before its settings are known.
type step struct {
	scenario loadgen.Scenario
	mode     loadgen.Mode
	streams  bool // search for the largest samples_per_query
	ranging  bool
	users    int // of a closed loop
	replay   bool
}

// steps lists what to run, in order. The accuracy that nobody asked for by scenario is measured once, in the fastest
// scenario: Server would spread it over the schedule of target_qps.
func (r Request) steps(scenarios, served []loadgen.Scenario) ([]step, error) {
	performance, accuracy := each(scenarios, loadgen.PerformanceOnly), each(scenarios, loadgen.AccuracyOnly)
	if r.Load.Concurrency != 0 || r.Load.Requests != 0 || r.Load.Duration != 0 {
		return r.closedLoop(served)
	}
	switch r.Load.Mode {
	case "":
		if r.Rules.Audit != "" || r.Rules.Test.Name != "" { // audits are performance runs
			return performance, nil
		}
		return append(performance, step{scenario: fastest(served), mode: loadgen.AccuracyOnly}), nil
	case ModePerformance:
		return performance, nil
	case ModeAccuracy:
		if len(r.Load.Scenarios) == 0 {
			return []step{{scenario: fastest(served), mode: loadgen.AccuracyOnly}}, nil
		}
		return accuracy, nil
	case ModeSubmission:
		var both []step
		for i := range scenarios {
			both = append(both, performance[i], accuracy[i])
		}
		return both, nil
	case ModeFindPeak:
		return r.findPeak(scenarios)
	}
	return nil, fmt.Errorf("--mode: %w", unknownMode(r.Load.Mode))
}

// unknownMode is the error of a mode that there is not. Where two are named, or all, it says which one makes both kinds
// of run.
func unknownMode(name string) error {
	lower := strings.ToLower(name)
	two := strings.Contains(lower, ModePerformance) && strings.Contains(lower, ModeAccuracy)
	if two || lower == "both" || lower == everyScenario {
		return fmt.Errorf("unknown mode %q; did you mean %q? It makes a performance run and an accuracy run of each "+
			"scenario; without --mode the accuracy is measured once", name, ModeSubmission)
	}
	return suggest.Unknown("mode", name, []string{ModePerformance, ModeAccuracy, ModeSubmission, ModeFindPeak})
}

// findPeak is a search: for the highest target_qps of Server, or where MultiStream alone is asked for, for its largest
// samples_per_query.
func (r Request) findPeak(scenarios []loadgen.Scenario) ([]step, error) {
	switch {
	case len(r.Load.Scenarios) == 0 && slices.Contains(scenarios, loadgen.Server),
		slices.Equal(scenarios, []loadgen.Scenario{loadgen.Server}):
		return []step{{scenario: loadgen.Server, mode: loadgen.FindPeakPerformance}}, nil
	case slices.Equal(scenarios, []loadgen.Scenario{loadgen.MultiStream}):
		return []step{{scenario: loadgen.MultiStream, mode: loadgen.PerformanceOnly, streams: true}}, nil
	}
	return nil, fmt.Errorf("--mode %s searches for the highest target_qps of Server, or for the largest "+
		"samples_per_query of MultiStream with --rules v0.5 to v1.1, and runs no other scenario, found %s; give --scenario "+
		"Server or --scenario MultiStream alone", ModeFindPeak, strings.Join(names(scenarios), ", "))
}

// The ways to time Server queries.
const (
	PaceDefault = "default"
	PacePrecise = "precise" // spin before each due time
)

// pace is the way to time Server queries that was asked for.
func (r Request) pace() (string, error) {
	switch r.Load.Pace {
	case "":
		return PaceDefault, nil
	case PaceDefault, PacePrecise:
		return r.Load.Pace, nil
	}
	return "", fmt.Errorf("--pace: %w", suggest.Unknown("pace", r.Load.Pace, []string{PaceDefault, PacePrecise}))
}

func each(scenarios []loadgen.Scenario, m loadgen.Mode) []step {
	return lists.Map(scenarios, func(s loadgen.Scenario) step { return step{scenario: s, mode: m} })
}

// fastest is the scenario for a single accuracy run: Offline, which every model has and which batches best; without it
// the last one.
func fastest(scenarios []loadgen.Scenario) loadgen.Scenario {
	for _, s := range scenarios {
		if s == loadgen.Offline {
			return s
		}
	}
	return scenarios[len(scenarios)-1]
}

// Described describes the machine.
func (r Request) Described() system.Info { return system.Describe(r.Root()) }

// Root is the machine's file system.
func (r Request) Root() fs.FS {
	if r.Output.Machine == nil {
		return os.DirFS("/")
	}
	return r.Output.Machine
}

// Clock is the time by the request's clock, else the machine's.
func (r Request) Clock() time.Time {
	if r.Output.Now == nil {
		return time.Now()
	}
	return r.Output.Now()
}
