package check

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// submissionChecker checks one submission.
type submissionChecker struct {
	rules       *endpoints.Rules
	root        fs.FS
	prefix      string // prefix of paths
	report      Report
	keepsCurves bool // keep the curves for the caller
	curves      []Curve
	// objects caches the JSON objects of the current curve's files by path; nil: the file contains no object.
	objects map[string]*pyvalue.Dict
}

// Check checks the submission in a folder: ORG/SUBMISSION_ID, or ORG with a single submission in it. It returns an
// error if the folder cannot be opened.
func Check(folder string, rules *endpoints.Rules) (*Report, error) {
	c, err := openFolder(folder, &submissionChecker{rules: rules})
	if err != nil {
		return nil, err
	}
	return &c.report, nil
}

// openFolder opens a folder and checks it.
func openFolder(folder string, c *submissionChecker) (*submissionChecker, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	r, err := bounded.OpenRoot(whole)
	if err != nil {
		return nil, bounded.ShortenPathError(err)
	}
	defer r.Close()
	if err := c.checkFolder(r.FS(), filepath.Base(whole)); err != nil {
		return nil, err
	}
	c.report.Folder = filepath.Join(folder, c.report.Folder)
	return c, nil
}

// IsSubmission reports whether a folder is a submission to MLPerf Endpoints: it contains results of points and no
// folders of divisions.
func IsSubmission(folder string) bool {
	r, err := bounded.OpenRoot(folder)
	if err != nil {
		return false
	}
	defer r.Close()
	c := &submissionChecker{root: r.FS()}
	if inner, ok := c.onlySubmission(); ok && !c.isDir(resultsDir) {
		if c.root, err = fs.Sub(c.root, inner); err != nil {
			return false
		}
	}
	for _, system := range c.listDirs(resultsDir) {
		for _, model := range c.listDirs(path.Join(resultsDir, system)) {
			if len(c.pointDirs(path.Join(resultsDir, system, model))) > 0 {
				return true
			}
		}
	}
	return false
}

// checkFolder checks a folder with the given name.
func (c *submissionChecker) checkFolder(folder fs.FS, name string) error {
	c.root, c.objects = folder, map[string]*pyvalue.Dict{}
	if !c.isDir(resultsDir) {
		c.prefix = name
		if inner, ok := c.onlySubmission(); ok {
			sub, err := fs.Sub(folder, inner)
			if err != nil {
				return err
			}
			c.root, c.prefix, c.report.Folder = sub, "", inner
		}
	}
	c.checkSubmission()
	return nil
}

// onlySubmission returns the only subfolder with results, if the folder itself has none.
func (c *submissionChecker) onlySubmission() (inner string, ok bool) {
	found := 0
	for _, name := range c.listDirs(".") {
		if c.isDir(path.Join(name, resultsDir)) {
			inner = name
			found++
		}
	}
	return inner, found == 1
}

func (c *submissionChecker) checkSubmission() {
	c.addRow("path-exists", Info, ".", "the submission is there")
	for _, name := range []string{resultsDir, docsDir} {
		c.addEither(c.isDir(name), "required-dir", Error, name, name+"/ is there", name+"/ is missing"+c.findOlderLayout())
	}
	c.checkSources()
	if !c.isDir(resultsDir) {
		return
	}
	systems := c.listDirs(resultsDir)
	if len(systems) == 0 {
		c.addRow("system-results-dir", Error, resultsDir, "results/ has no folder of a system: want results/SYSTEM/MODEL/rN/")
		return
	}
	for _, name := range systems {
		c.checkSystem(path.Join(resultsDir, name))
	}
	for _, name := range systems {
		for _, model := range c.listDirs(path.Join(resultsDir, name)) {
			c.checkUtilization(path.Join(resultsDir, name, model))
		}
	}
	c.addEither(c.hasAnyAccuracy(), "accuracy-present", Error, resultsDir, "at least one model has accuracy results",
		"no model has accuracy results: want accuracy_results.json at the points where the rules ask for one")
}

// findOlderLayout returns the path of folders in the layout of round v0.7; empty: none.
func (c *submissionChecker) findOlderLayout() string {
	for _, name := range []string{"pareto", "documentation"} {
		if c.isDir(name) {
			return "; there is " + name + "/, as round v0.7 had it: rename it"
		}
	}
	return ""
}

func (c *submissionChecker) checkSources() {
	names := c.listDirs(srcDir)
	switch {
	case !c.isDir(srcDir):
		c.addRow("src-dir", Error, srcDir, "src/ is missing: want src/IMPLEMENTATION/README.md")
	case len(names) == 0:
		c.addRow("src-dir", Error, srcDir, "src/ has no folder of an implementation: want src/IMPLEMENTATION/README.md")
	default:
		c.addRow("src-dir", Info, srcDir, "src/ has %s", listNames(names))
	}
	for _, name := range names {
		dir := path.Join(srcDir, name)
		readme := c.findReadme(dir)
		c.addEither(readme != "", "src-readme", Error, path.Join(dir, cmp.Or(readme, "README.md")), name+" has a README.md",
			name+" has no README.md: it says how a point is made again")
	}
}

// findReadme returns the name of a folder's README.md in any case of letters.
func (c *submissionChecker) findReadme(dir string) string {
	list, _ := fs.ReadDir(c.root, dir)
	for _, e := range list {
		if strings.EqualFold(e.Name(), "readme.md") && c.isFile(path.Join(dir, e.Name())) {
			return e.Name()
		}
	}
	return ""
}

// hasAnyAccuracy reports whether any point has accuracy results, in their own file or in results.json.
func (c *submissionChecker) hasAnyAccuracy() (found bool) {
	_ = fs.WalkDir(c.root, resultsDir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.Name() == accuracyFile:
			found = true
		case d.Name() == resultsFile:
			scores, _ := c.readObject(p).Get("accuracy_scores")
			_, isDict := scores.(*pyvalue.Dict)
			_, isList := scores.([]any)
			found = found || (isDict || isList) && pyvalue.IsTrue(scores)
		}
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// utilizationTolerance is the maximum error of tps_utilization.
const utilizationTolerance = 0.1

// checkUtilization compares tps_utilization of a curve's points with their throughput.
func (c *submissionChecker) checkUtilization(curve string) {
	type entry struct {
		path      string
		tps, util float64
	}
	var all []entry
	highest := 0.0
	for _, name := range c.pointDirs(curve) {
		dir := path.Join(curve, name)
		tps, ok := rawThroughput(c.readObject(path.Join(dir, summaryFile)))
		declared, _ := c.readObject(path.Join(dir, systemFile)).Get("tps_utilization")
		util, known := jsonNumber(declared)
		if ok && known {
			all = append(all, entry{path.Join(dir, systemFile), tps, util})
			highest = max(highest, tps)
		}
	}
	if highest <= 0 {
		return
	}
	for _, e := range all {
		want := e.tps / highest
		off := e.util - want
		if off >= -utilizationTolerance && off <= utilizationTolerance {
			c.addRow("tps-utilization", Info, e.path,
				"tps_utilization %.4f is the share of the curve's highest throughput, %.4f",
				e.util, want)
		} else {
			c.addRow("tps-utilization", Error, e.path,
				"tps_utilization is %v, want %.4f: %.3f of the curve's highest %.3f tokens/s",
				e.util, want, e.tps, highest)
		}
	}
}

// rawThroughput returns the output tokens per second of a summary that can be invalid otherwise.
func rawThroughput(summary *pyvalue.Dict) (tps float64, ok bool) {
	value, _ := summary.Get("duration_ns")
	ns, known := jsonNumber(value)
	lengths, _ := pyvalue.Field[*pyvalue.Dict](summary, "output_sequence_lengths")
	total, _ := lengths.Get("total")
	tokens, counted := jsonNumber(total)
	if !known || !counted || !(ns > 0) {
		return 0, false
	}
	return tokens / (ns / 1e9), true
}
