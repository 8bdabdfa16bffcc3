package checker

import (
	"errors"
	"fmt"
	"path"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Verdict is the result of the official checker.
type Verdict string

// The verdicts of the official checker.
const (
	OK     Verdict = "ok"     // "submission looks OK", exit code 0
	Errors Verdict = "errors" // "submission has errors", exit code 1
	Crash  Verdict = "crash"  // a traceback without a summary, exit code 1
)

// Options contains the official checker's arguments.
type Options struct {
	Round             string // --version; empty: the newest
	Submitter         string // --submitter
	Exceptions        bool   // --submission-exceptions
	SkipPower         bool   // --skip-power-check
	SkipMeaningful    bool   // --skip-meaningful-fields-emptiness-check
	SkipEmptyFiles    bool   // --skip-empty-files-check
	SkipAccuracyFiles bool   // --skip-extra-accuracy-files-check
	SkipDatasetSize   bool   // --skip-dataset-size-check
	PrivateIDs        bool   // --private-ids; nothing is written
	// Only selects the benchmarks to read, each with all scenarios, by the place of the folder and the rules' model; nil:
	// all. The official checker has no such argument.
	Only func(p tree.Place, model string) bool
}

// Report is the official checker's report on a tree. Before v5.0, paths without a result can be folders other than
// scenarios, and they are counted too.
type Report struct {
	Round    string
	Form     result.Form // form of the summary
	Verdict  Verdict
	Crashes  []CrashedPath
	Rejected []Rejection // in the order of the tree
	Zero     []string    // folders with the result 0, which count as missing although the checker does not list them
	Rows     []result.Row
	Results  int // number of folders with a result
	Power    int // number of folders with a result and power
	Folders  int // number of all scenario folders
}

// CrashedPath is a place where the official checker would crash.
type CrashedPath struct {
	Path string // relative to the tree
	Text string
}

// Rejection is a scenario folder without a valid result.
type Rejection struct {
	Folder  string
	Reasons []Reason
}

// Reason is a fault with the official checker's group of checks: "performance", "accuracy", "system", "measurements",
// "power" or "compliance".
type Reason struct{ Group, Text string }

// Check reads the tree at root. It returns errors about the round, about root itself and about its listing. The report
// contains all other faults.
func Check(root string, o Options) (*Report, error) {
	rules, err := mlconf.Round(o.Round)
	if err != nil {
		return nil, err
	}
	layout, err := tree.LayoutOf(rules.Name)
	if err != nil {
		return nil, err
	}
	r, err := bounded.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("the folder of a submission is wanted: %w", bounded.ShortenPathError(err))
	}
	defer r.Close()
	c := &checker{
		Options: o, rules: rules, layout: layout, files: python.Tree{Root: r}, report: &Report{Round: rules.Name},
	}
	if err := c.walkDivisions(); err != nil {
		return nil, err
	}
	c.report.Verdict = c.verdict()
	return c.report, nil
}

type checker struct {
	Options
	rules  *mlconf.Rules
	layout tree.Layout
	files  python.Tree
	report *Report
}

func (c *checker) verdict() Verdict {
	switch {
	case len(c.report.Crashes) > 0:
		return Crash
	case c.report.Results < c.report.Folders:
		return Errors
	}
	return OK
}

func (c *checker) addCrash(at string, err error) {
	c.report.Crashes = append(c.report.Crashes, CrashedPath{path.Clean(at), err.Error()})
}

// walkDivisions, submitters and systems walk down to the scenario folders. If one crashes, they skip the folders below
// it.
func (c *checker) walkDivisions() error {
	all, err := c.files.Folders(".")
	if err != nil {
		return fmt.Errorf("read the submission: %w", err)
	}
	for _, division := range all {
		if _, known := requiredIsNetwork[division]; !known {
			continue
		}
		submitters, err := c.files.Folders(division)
		if err != nil {
			c.addCrash(division, err)
		}
		for _, submitter := range submitters {
			if c.Submitter == "" || submitter == c.Submitter {
				c.walkSubmitter(tree.Place{Division: division, Submitter: submitter})
			}
		}
	}
	return nil
}

// requiredIsNetwork contains the known divisions with their required value of is_network: "true", "false", or "" for
// any.
var requiredIsNetwork = map[string]string{tree.DivisionClosed: "false", tree.DivisionOpen: "",
	tree.DivisionNetwork: "true"}

func (c *checker) walkSubmitter(p tree.Place) {
	var mapping any
	if file := path.Join(p.Folder(), tree.ModelMapping); p.Division == tree.DivisionOpen && c.files.Exists(file) {
		var err error
		if mapping, err = c.files.JSON(file); err != nil {
			c.addCrash(file, err)
			return
		}
	}
	systems, err := c.files.Folders(p.Results())
	if err != nil {
		c.addCrash(p.Results(), err)
	}
	for _, name := range systems {
		p.System = name
		s, err := c.openSystem(p)
		if err != nil {
			c.addCrash(p.SystemFile(), err)
			continue
		}
		s.mapping = mapping
		c.walkBenchmarks(s)
	}
}

func (c *checker) walkBenchmarks(s system) {
	names, err := c.files.Folders(s.place.Results())
	if err != nil {
		c.addCrash(s.place.Results(), err)
	}
	for _, name := range names {
		p := s.place
		p.Benchmark = name
		if !c.isWanted(s, p) {
			continue
		}
		if err := c.walkBenchmark(s, p); err != nil {
			c.addCrash(p.Results(), err)
		}
	}
}

func (c *checker) walkBenchmark(s system, p tree.Place) error {
	folders, err := c.files.Folders(p.Results())
	if err != nil {
		return err
	}
	var faults []Reason
	if p.Division != tree.DivisionOpen {
		if faults, err = c.scenarioFolders(s, p.Benchmark, folders); err != nil {
			return err
		}
	}
	for _, name := range folders {
		p.Scenario = name
		if err := c.judgeScenario(s, p, faults); err != nil {
			c.addCrash(p.Results(), err)
		}
	}
	return nil
}

// isWanted reports whether to read a benchmark's folder. It returns true if the folder's model is unknown.
func (c *checker) isWanted(s system, p tree.Place) bool {
	if c.Only == nil {
		return true
	}
	model, err := c.modelOf(&folder{system: s, place: p})
	return err != nil || c.Only(p, model)
}

// judgeScenario judges a folder. An error is a crash.
func (c *checker) judgeScenario(s system, p tree.Place, faults []Reason) error {
	f, err := c.openFolder(s, p)
	if err != nil {
		return err
	}
	c.report.Folders++
	f.faults = append(f.faults, faults...)
	if f.performance == nil {
		f.addFault("performance", "there are no logs of LoadGen; results of endpoints runs are not read")
	} else {
		c.judgeFolder(f)
	}
	if len(f.faults) > 0 {
		c.report.Rejected = append(c.report.Rejected, Rejection{p.Results(), f.faults})
		return nil
	}
	return c.addRows(f)
}

func (c *checker) judgeFolder(f *folder) {
	c.checkPerformance(f, f.performance, "performance", false)
	c.checkAccuracy(f)
	c.checkSystem(f)
	c.checkMeasurements(f)
	c.checkPower(f)
	c.checkAuditFolders(f)
}

// errMissing is the official checker's error for a missing file.
var errMissing = errors.New("the file is missing")
