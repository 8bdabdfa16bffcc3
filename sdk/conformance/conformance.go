package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Subject is the plugin binary to check, with the options to open it.
type Subject struct {
	Binary string
	// Open contains the options of every workload: model, precision, data set, backend and its options. The checks set
	// Scenario and Use. Count is the number of samples to repeat, and to measure accuracy on. 0 means 24 samples to repeat
	// (down to 8 if they are slow), and accuracy on the whole data set.
	Open sdk.Options
	// ScorerFiles contains the scorer's models if they are not the embedded ones: ScoreOptions.PartFiles.
	ScorerFiles map[string]string
	// Env is added to the plugin's environment.
	Env []string
	// Approve, if not nil, is called at each launch: see host.LaunchOptions.
	Approve func(binary *os.File) error
	// Reference, if not nil, is another backend or binary whose answers to the whole data set are compared with the
	// subject's.
	Reference *ReferencePlugin
	// Queries is the number of queries in the check of memory growth; 0: 10,000.
	Queries int
	// MemoryTime limits the time of those queries; 0: 20 s. A slow subject answers fewer queries, and its allowed growth
	// is smaller.
	MemoryTime time.Duration
	// StartTimeout is the time limit for a plugin's handshake; 0: a minute.
	StartTimeout time.Duration
	// Patience is the time limit for a plugin to notice its end or an error; 0: 20 s.
	Patience time.Duration
	// AnswerTimeout is the time limit without progress, and Note receives messages for the user about it: see
	// host.LaunchOptions.
	AnswerTimeout time.Duration
	Note          func(text string)
	// Only names the checks to run; empty: all.
	Only []string
}

// ReferencePlugin is a plugin that is assumed to be correct.
type ReferencePlugin struct {
	Binary string // empty: the subject's
	Open   sdk.Options
}

// The defaults of Subject.
const (
	defaultSamples    = 24
	minSamples        = 8
	defaultQueries    = 10_000
	defaultMemoryTime = 20 * time.Second
	defaultPatience   = 20 * time.Second
)

// CheckOutcome is the outcome of a check.
type CheckOutcome string

// The outcomes. A check is skipped if it does not apply; Detail contains the reason.
const (
	Pass CheckOutcome = "PASS"
	Fail CheckOutcome = "FAIL"
	Skip CheckOutcome = "SKIP"
)

// CheckResult is the result of a check.
type CheckResult struct {
	Name    string       `json:"name"`
	About   string       `json:"about"`
	Outcome CheckOutcome `json:"outcome"`
	// Detail describes what was found, and in a failure what was expected and what to do.
	Detail  string  `json:"detail"`
	Seconds float64 `json:"seconds"`
}

// namedCheck is one requirement for plugins, with its check.
type namedCheck struct {
	name, about string
	// run returns a description of what was found. An error is a failure unless it wraps errSkip.
	run func(ctx context.Context, v *pluginVisit) (string, error)
}

// errSkip is wrapped by the error of a check that does not apply.
var errSkip = errors.New("skip")

func skipCheck(format string, args ...any) error {
	return fmt.Errorf("%w%s", errSkip, fmt.Sprintf(format, args...))
}

// allChecks lists the checks in the order in which they run.
func allChecks() []namedCheck {
	return []namedCheck{
		{"handshake", "it starts, shakes hands and speaks this version of the wire", checkHandshake},
		{"by-hand", "started without a harness it says what it is for and fails", checkStartByHand},
		{"description", "its description is complete, and the same by both ways", checkDescription},
		{"reality", "models, data sets and scenarios are as described", checkReality},
		{"heartbeats", "heartbeats come while it is idle too, and count what was received and answered", checkHeartbeats},
		{"scenarios", "every scenario runs, and each sample is answered once", checkScenarios},
		{"modes", "a sample has the same payload in performance and accuracy mode and in every scenario", checkModes},
		{"payloads", "payloads have the form that the scorer wants, and it refuses others", checkPayloads},
		{"determinism", "the same samples in a fresh process give the same payloads", checkDeterminism},
		{"order", "the order of samples does not matter", checkOrder},
		{"own-order", "a benchmark that hands out its samples by itself hands out each, in its order", checkOwnOrder},
		{"batch", "a sample alone has the payload that it has in a batch", checkBatches},
		{"accuracy", "the whole data set scores what the description promises", checkAccuracy},
		{"reference", "the whole data set scores what it scores with the reference", checkReference},
		{"errors", "unknown models, backends, options and work on data sets are refused", checkRefusals},
		{"loading", "samples are loaded, counted and unloaded; others are not answered", checkLoading},
		{"back-pressure", "more samples than can be answered do not fill the memory", checkBackPressure},
		{"cancellation", "a run that is called off ends soon, and the next one works", checkCancellation},
		{"kill", "a killed process ends the run with a reason, and starts again", checkKill},
		{"memory", "memory does not grow with the number of queries", checkMemory},
		{"caching", "a sample that was answered before takes as long as a new one", checkCaching},
		{"leftovers", "no process and no file is left", checkLeftovers},
	}
}

// CheckAbout returns the requirement of a check, or "" for an unknown name.
func CheckAbout(name string) string {
	for _, c := range allChecks() {
		if c.name == name {
			return c.about
		}
	}
	return ""
}

// CheckNames lists the checks, in order.
func CheckNames() []string {
	var names []string
	for _, c := range allChecks() {
		names = append(names, c.name)
	}
	return names
}

// Run runs the checks and returns their results in order. If report is not nil, it receives each result at once. A
// plugin that does not start fails the first check, and all others are skipped. If the subject cannot be opened, the
// checks after reality are skipped. The checks end when ctx ends.
func Run(ctx context.Context, s Subject, report func(CheckResult)) []CheckResult {
	var results []CheckResult
	var known sharedResults
	for _, c := range allChecks() {
		if len(s.Only) > 0 && !slices.Contains(s.Only, c.name) {
			continue
		}
		r := CheckResult{Name: c.name, About: c.about, Outcome: Skip, Detail: known.abortReason}
		switch {
		case ctx.Err() != nil:
			r.Detail = "called off"
		case known.abortReason == "":
			r = c.runCheck(ctx, s, &known)
		}
		if ctx.Err() != nil && r.Outcome == Fail { // failed because ctx ended, not because of the plugin
			r.Outcome, r.Detail = Skip, "called off"
		}
		if c.name == "handshake" && r.Outcome == Fail {
			known.abortReason = "the plugin does not start"
		}
		results = append(results, r)
		if report != nil {
			report(r)
		}
	}
	return results
}

// CountFailures returns the number of failures.
func CountFailures(results []CheckResult) int {
	n := 0
	for _, r := range results {
		if r.Outcome == Fail {
			n++
		}
	}
	return n
}

// checkTimeout is the time limit of a check with few samples. It is longer than any successful check.
const checkTimeout = 10 * time.Minute

// withTimeout limits the time of a check. Checks of the whole data set have no limit, because heartbeats reveal a
// plugin that hangs.
func (c namedCheck) withTimeout(ctx context.Context, s Subject) (context.Context, context.CancelFunc) {
	most := checkTimeout
	switch c.name {
	case "accuracy", "reference":
		return context.WithCancel(ctx)
	case "memory":
		most += 2 * s.MemoryTime
	}
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("no end after %v", most))
}

// runCheck runs one check in its own processes.
func (c namedCheck) runCheck(ctx context.Context, s Subject, known *sharedResults) (r CheckResult) {
	r = CheckResult{Name: c.name, About: c.about}
	ctx, cancel := c.withTimeout(ctx, s)
	defer cancel()
	start := time.Now()
	v, err := newVisit(s, known)
	if err == nil {
		r.Detail, err = c.run(ctx, v)
		err = errors.Join(err, v.closeAll())
	}
	r.Seconds = time.Since(start).Seconds()
	r.Outcome = Pass
	switch {
	case errors.Is(err, errSkip):
		r.Outcome, r.Detail = Skip, strings.TrimPrefix(err.Error(), errSkip.Error())
	case err != nil:
		r.Outcome, r.Detail = Fail, distinctLines(err.Error())
	}
	return r
}

// distinctLines removes repeated lines from a text, because many samples fail for the same reason.
func distinctLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// subjectModel returns the description of the model that the subject opens.
func (v *pluginVisit) subjectModel(d sdk.Description) (sdk.ModelInfo, error) {
	for _, m := range d.Models {
		if v.subject.Open.Model == "" || strings.EqualFold(m.Name, v.subject.Open.Model) {
			return m, nil
		}
	}
	return sdk.ModelInfo{}, fmt.Errorf("it describes no model %q", v.subject.Open.Model)
}

// mainScenario returns the scenario of checks that need only one: Offline if the model has it.
func mainScenario(m sdk.ModelInfo) loadgen.Scenario {
	if len(m.Scenarios) == 0 || slices.Contains(m.Scenarios, loadgen.Offline) {
		return loadgen.Offline
	}
	return m.Scenarios[0]
}

func (s Subject) withDefaults() (Subject, error) {
	path, err := filepath.Abs(s.Binary)
	s.Binary = path // exec would search for a bare name in PATH
	s.Open.Count = cmp.Or(s.Open.Count, defaultSamples)
	s.Open.Use = sdk.UseAccuracy // because the answers are also scored
	s.Queries = cmp.Or(s.Queries, defaultQueries)
	s.MemoryTime = cmp.Or(s.MemoryTime, defaultMemoryTime)
	s.Patience = cmp.Or(s.Patience, defaultPatience)
	s.Env = slices.Clone(s.Env)
	return s, err
}
