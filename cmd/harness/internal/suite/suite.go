// Package suite reads a suite: a YAML file that lists runs of harness run and measurements of harness bench, with
// matrices, repeats, an order and time budgets. It passes flags on by name and text without interpreting them.
//
// A suite can also be made from a round of the rules; it then contains all benchmarks of the round.
//
// In scope: reading a YAML file into jobs, each with a model or a server, flags of harness run or harness bench, and a
// folder. Out of scope: running jobs.
package suite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
)

// Suite is the content of a suite file.
type Suite struct {
	Name   string        // default: the file's name without its extension
	Out    string        // folder of all results; default: Name
	Budget time.Duration // no run starts after this time; 0: no limit
	Jobs   []Job         // in order of execution
	// Independent lets the other jobs run if a job cannot be planned.
	Independent bool
	// MixedSizes means that a flag applies to models of every size. A number of samples is then limited for each model.
	MixedSizes bool
	// Benchmarks contains all benchmarks of the round of the suite; nil: the suite was read from a file.
	Benchmarks []record.Benchmark
}

// Job is one harness run or harness bench, for a model or a server with flags. All of its runs are in one folder.
type Job struct {
	Entry   int      // index of the entry in the file
	Name    string   // of the entry; default: the model or the server's host
	Point   []string // point of the matrix: "batch=4", "backend=ort"; nil: no matrix
	Repeat  int      // from 1
	Repeats int
	Model   string
	// Server is the address of a server for harness bench; empty: a harness run.
	Server string
	// Task is an MLMark task; nil: a harness run.
	Task  *mlmark.Task
	Flags []Flag
	// Defaults names the flags that the entry has only from the file's defaults.
	Defaults []string
	Folder   string        // below Suite.Out, with slashes: "cnn/batch=4/2"
	Budget   time.Duration // for all jobs of the entry together; 0: no limit
}

// Flag is a flag of harness run: its name without dashes, and a value as on the command line. Several values are
// several Flags.
type Flag struct{ Name, Value string }

// String returns the name of the job: "cnn batch=4, backend=ort (2 of 3)".
func (j Job) String() string {
	text := j.Name
	if len(j.Point) > 0 {
		text += " " + strings.Join(j.Point, ", ")
	}
	if j.Repeats > 1 {
		text += fmt.Sprintf(" (%d of %d)", j.Repeat, j.Repeats)
	}
	return text
}

// Identity returns the identity of the job's runs in results, with the user's label.
func (j Job) Identity(label string) record.Identity {
	id := record.Identity{Label: label}
	var point []string
	for _, p := range j.Point {
		if p != "label="+label {
			point = append(point, p)
		}
	}
	id.Point = point // already the label
	if j.Name != j.Model {
		id.Entry = j.Name
	}
	if j.Repeats > 1 {
		id.Repeat, id.Repeats = j.Repeat, j.Repeats
	}
	return id
}

// The limits of a suite.
const (
	maxBytes = 128 << 10
	maxJobs  = 10_000
)

// IsSuiteFile reports whether an argument that may be a model is a suite.
func IsSuiteFile(argument string) bool {
	switch strings.ToLower(filepath.Ext(argument)) {
	case ".yaml", ".yml":
		return true
	}
	return false
}

// ReadSuite reads the suite at path. The error lists all faults with their lines. The suite contains the jobs of the
// entries without faults.
func ReadSuite(path string) (Suite, error) {
	text, err := backend.ReadFile(path, maxBytes)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w; `harness new suite %s` writes one to start from", err, path)
		}
		return Suite{}, err
	}
	base := filepath.Base(path)
	s, err := ParseSuite(text, strings.TrimSuffix(base, filepath.Ext(base)), mlmark.ReadConfig)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return s, err
}

// The orders of jobs.
const (
	orderRounds = "rounds" // each repeat covers all entries, so that a machine that warms up affects all equally
	orderRuns   = "runs"   // the repeats of an entry are consecutive
)

// ConfigReader reads the tasks of an MLMark configuration.
type ConfigReader func(path string) ([]mlmark.Task, error)

// ParseSuite parses the text of a suite. fallback is the default name. If there is an error, the suite contains the
// jobs of the entries without faults.
func ParseSuite(text []byte, fallback string, read ConfigReader) (Suite, error) {
	root, faults, err := parseYAML(text)
	if err != nil {
		return Suite{}, errors.Join(append(faults, err)...)
	}
	f := suiteFile{name: fallback, order: orderRounds, configs: read}
	faults = append(faults, f.readFile(root))
	s := Suite{Name: f.name, Out: f.out, Budget: f.budget}
	s.Out = cmp.Or(s.Out, s.Name)
	s.Jobs, err = f.listJobs()
	return s, errors.Join(append(faults, err)...)
}

// suiteFile contains the values in a suite file.
type suiteFile struct {
	name, out, order string
	budget           time.Duration
	defaults         flagList
	entries          []suiteEntry
	configs          ConfigReader
}

// readFile reads the keys of the file.
func (f *suiteFile) readFile(root yamlNode) error {
	if !root.mapping {
		return root.nodeError("%s: want a mapping with name, out, order, budget, defaults and runs", root.kindText())
	}
	var runs *yamlNode
	read := map[string]func(yamlNode) error{
		"name":   func(n yamlNode) error { return n.readWord(&f.name) },
		"out":    func(n yamlNode) error { return n.readWord(&f.out) },
		"order":  func(n yamlNode) error { return n.readOneOf(&f.order, orderRounds, orderRuns) },
		"budget": func(n yamlNode) error { return n.readDuration(&f.budget) },
		"defaults": func(n yamlNode) error {
			return errors.Join(n.requireMapping("flags of harness run"), errors.Join(f.defaults.readFlags(n.pairs)...))
		},
		"runs": func(n yamlNode) error { runs = &n; return nil },
	}
	faults := root.readEach(read)
	switch {
	case runs == nil:
		faults = append(faults, errors.New("runs: missing; want a list of what to run"))
	case runs.mapping || runs.scalar || len(runs.items) == 0:
		faults = append(faults, runs.nodeError("runs: %s: want a list of what to run", runs.kindText()))
	default:
		faults = append(faults, f.readEntries(runs.items)...)
	}
	return errors.Join(faults...)
}

func (f *suiteFile) readEntries(items []yamlNode) (faults []error) {
	for i, item := range items {
		e := suiteEntry{index: i, repeat: 1}
		if err := e.readEntry(item, f.configs); err != nil {
			faults = append(faults, err)
			continue
		}
		f.entries = append(f.entries, e)
	}
	return faults
}

// suiteEntry is an entry of a suite file.
type suiteEntry struct {
	index  int
	name   string
	models []string
	bench  []string      // addresses of servers
	mlmark string        // mode of the MLMark tasks; empty: none, or set by the configuration
	tasks  []mlmark.Task // of the configuration
	repeat int
	budget time.Duration
	flags  flagList
	axes   []matrixAxis
}

// matrixAxis is a flag and its values.
type matrixAxis struct {
	name   string
	values []flagList
	labels []string
}

func (e *suiteEntry) readEntry(n yamlNode, configs ConfigReader) error {
	if !n.mapping {
		return n.nodeError("%s: want a mapping with run: MODEL or bench: URL, and flags of it", n.kindText())
	}
	var rest []nodePair
	own := map[string]func(yamlNode) error{
		"run":    func(n yamlNode) error { return n.readWords(&e.models) },
		"name":   func(n yamlNode) error { return n.readWord(&e.name) },
		"bench":  func(n yamlNode) error { return n.readWords(&e.bench) },
		"repeat": func(n yamlNode) error { return n.readCount(&e.repeat) },
		"budget": func(n yamlNode) error { return n.readDuration(&e.budget) },
		"matrix": e.readMatrix, "mlmark": func(n yamlNode) error { return e.readMLMark(n, configs) },
	}
	var faults []error
	for _, p := range n.pairs {
		read, is := own[p.key]
		if !is {
			rest = append(rest, p)
		} else if err := read(p.value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", p.key, err))
		}
	}
	faults = append(faults, e.flags.readFlags(rest)...)
	switch {
	case len(faults) > 0:
	case len(e.bench) > 0 && (len(e.models) > 0 || e.tasks != nil || e.mlmark != ""):
		faults = append(faults, n.nodeError("bench: measures a server by itself; leave run and mlmark to another entry"))
	case len(e.models) == 0 && len(e.bench) == 0 && e.tasks == nil:
		faults = append(faults,
			n.nodeError("run: missing; want the name of a model (harness list shows them), or bench: URL"))
	case len(e.models) > 0 && e.tasks != nil:
		faults = append(faults, n.nodeError("run: the configuration that mlmark names has the models"))
	}
	return errors.Join(faults...)
}

// readMLMark reads the mode of tasks, or the tasks of a configuration.
func (e *suiteEntry) readMLMark(n yamlNode, configs ConfigReader) (err error) {
	if err := n.readWord(&e.mlmark); err != nil || !mlmark.IsConfigFile(e.mlmark) {
		return err
	}
	if e.tasks, err = configs(e.mlmark); err != nil {
		return n.nodeError("%w", err)
	}
	e.mlmark = ""
	return nil
}

func (e *suiteEntry) readMatrix(n yamlNode) error {
	if err := n.requireMapping("flags, each with a list of values"); err != nil {
		return err
	}
	var faults []error
	for _, p := range n.pairs {
		if p.value.mapping || p.value.scalar || len(p.value.items) == 0 {
			faults = append(faults, p.value.nodeError("%s: %s: want a list of values", p.key, p.value.kindText()))
			continue
		}
		a := matrixAxis{name: p.key}
		for _, item := range p.value.items {
			var one flagList
			faults = append(faults, one.readFlags([]nodePair{{p.key, item}})...)
			a.values, a.labels = append(a.values, one), append(a.labels, one.pointLabel())
		}
		e.axes = append(e.axes, a)
	}
	return errors.Join(faults...)
}

// countPoints returns the number of points in the matrix. It stops above the limit of a suite.
func (e *suiteEntry) countPoints() int {
	n := len(e.models) + len(e.bench) + len(e.tasks)
	for _, a := range e.axes {
		if n *= len(a.values); n > maxJobs {
			return n
		}
	}
	return n
}

// readEach reads the pairs of a mapping. read maps keys to functions.
func (n yamlNode) readEach(read map[string]func(yamlNode) error) (faults []error) {
	for _, p := range n.pairs {
		f, known := read[p.key]
		switch {
		case !known:
			faults = append(faults, p.value.nodeError("%w", suggest.Unknown("key", p.key,
				slices.Sorted(maps.Keys(read)))))
		default:
			if err := f(p.value); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", p.key, err))
			}
		}
	}
	return faults
}

func (n yamlNode) readWord(to *string) error {
	if !n.scalar || n.text == "" {
		return n.nodeError("%s: want a word", n.kindText())
	}
	*to = n.text
	return nil
}

// readWords reads one word or a list of words.
func (n yamlNode) readWords(to *[]string) error {
	items := n.items
	if n.scalar {
		items = []yamlNode{n}
	}
	for _, item := range items {
		var w string
		if err := item.readWord(&w); err != nil {
			return err
		}
		if slices.Contains(*to, w) {
			return item.nodeError("%q is there twice; say `repeat` for several runs", w)
		}
		*to = append(*to, w)
	}
	if len(*to) == 0 {
		return n.nodeError("%s: want one, or a list of them", n.kindText())
	}
	return nil
}

func (n yamlNode) readOneOf(to *string, all ...string) error {
	if err := n.readWord(to); err != nil || slices.Contains(all, *to) {
		return err
	}
	return n.nodeError("%q: want %s", *to, strings.Join(all, " or "))
}

func (n yamlNode) readDuration(to *time.Duration) error {
	d, err := time.ParseDuration(n.text)
	if !n.scalar || err != nil || d <= 0 {
		return n.nodeError("%s: want a duration such as 90m or 2h30m", n.kindText())
	}
	*to = d
	return nil
}

func (n yamlNode) readCount(to *int) error {
	v, err := strconv.Atoi(n.text)
	if !n.scalar || err != nil || v < 1 || v > maxJobs {
		return n.nodeError("%s: want a whole number from 1 to %d", n.kindText(), maxJobs)
	}
	*to = v
	return nil
}

func (n yamlNode) requireMapping(of string) error {
	if n.mapping {
		return nil
	}
	return n.nodeError("%s: want a mapping of %s", n.kindText(), of)
}
