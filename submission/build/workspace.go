package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/submission/system"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// The names in a workspace.
const (
	WorkspaceFile    = "submission.json"   // what the workspace is, and its runs
	MeasurementsFile = "measurements.json" // what holds for the models of all benchmarks
	MeasurementsDir  = "measurements"      // BENCHMARK.json: what holds for one
	SystemsDir       = tree.SystemsDir     // SYSTEM.json
	CalibrationFile  = tree.CalibrationFile
	SourceDir        = "src"       // the submitter's own programs, if there are any
	OriginalsDir     = "originals" // whole accuracy logs, under their checksums
)

// The format of WorkspaceFile.
const (
	schema        = "plumbline.submission"
	schemaVersion = 1
)

// Workspace is a folder in which a submission is prepared.
type Workspace struct {
	Dir string `json:"-"`

	Schema        string   `json:"schema"`
	SchemaVersion int      `json:"schema_version"`
	Submitter     string   `json:"submitter"` // empty, or to be filled in: not known yet
	Division      string   `json:"division"`  // "closed", "open" or "network"
	Results       []Result `json:"results"`
}

// Result is a run that belongs to the submission.
type Result struct {
	System    string `json:"system"`
	Benchmark string `json:"benchmark"`      // the name of its folder
	Scenario  string `json:"scenario"`       // the name of its folder: "Interactive" too
	Test      string `json:"test,omitempty"` // the audit that the run was made for: "TEST01"
	Mode      string `json:"mode"`           // "performance" or "accuracy"
	Model     string `json:"model"`          // as harness run knows it
	Rules     string `json:"rules"`
	Out       string `json:"out"` // the output directory of harness run: an absolute path
	Dir       string `json:"dir"` // of the logs, within Out
	Log       string `json:"log"` // SHA-256 of the detail log
	Added     string `json:"added"`
	// Marks say why a run is none that may be submitted; empty as a rule.
	Marks []string `json:"marks,omitempty"`
}

// String names a run: "toy_edge/bert-99/Offline accuracy".
func (r Result) String() string {
	text := r.System + "/" + r.Benchmark + "/" + r.Scenario
	if r.Test != "" {
		text += " " + r.Test
	}
	return text + " " + r.Mode
}

// same says whether two runs have one place in a tree.
func (r Result) same(o Result) bool {
	return r.System == o.System && r.Benchmark == o.Benchmark && r.Scenario == o.Scenario && r.Test == o.Test &&
		r.Mode == o.Mode
}

// ErrWorkspace is in the chain of errors about a workspace's files.
var ErrWorkspace = errors.New("not a submission's workspace")

// OpenWorkspace reads a workspace.
func OpenWorkspace(dir string) (*Workspace, error) {
	path := filepath.Join(dir, WorkspaceFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s; make one with harness submission init", ErrWorkspace, path)
	}
	if err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrWorkspace, path, err)
	}
	if w.Schema != schema || w.SchemaVersion != schemaVersion {
		return nil, fmt.Errorf("%w: %s: schema %q version %d, want %q version %d", ErrWorkspace, path, w.Schema,
			w.SchemaVersion, schema, schemaVersion)
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// check wants names that can be folders.
func (w *Workspace) check() error {
	var faults []error
	if w.SubmitterKnown() {
		faults = append(faults, CheckName("submitter", w.Submitter))
	}
	if !slices.Contains(tree.Divisions(), w.Division) {
		faults = append(faults, fmt.Errorf("division %q, want one of %s", w.Division, strings.Join(tree.Divisions(), ", ")))
	}
	for _, r := range w.Results {
		faults = append(faults, CheckName("system", r.System), CheckName("benchmark", r.Benchmark),
			CheckName("scenario", r.Scenario))
		if r.Test != "" {
			faults = append(faults, CheckName("test", r.Test))
		}
		if !filepath.IsLocal(filepath.FromSlash(r.Dir)) {
			faults = append(faults, fmt.Errorf("%v: the folder %q leads out of %s", r, r.Dir, r.Out))
		}
	}
	return errors.Join(faults...)
}

// SubmitterKnown says whether the submitter's name was filled in.
func (w *Workspace) SubmitterKnown() bool {
	return w.Submitter != "" && !system.Unfilled(w.Submitter)
}

// save writes the workspace's file.
func (w *Workspace) save() error {
	if w.Results == nil {
		w.Results = []Result{}
	}
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(w.Dir, WorkspaceFile), append(text, '\n'), 0o644)
}

// Rules is the round of the runs; empty where there are none.
func (w *Workspace) Rules() string {
	if len(w.Results) == 0 {
		return ""
	}
	return w.Results[0].Rules
}

// Systems are those whose descriptions are in the workspace, sorted.
func (w *Workspace) Systems() []string {
	entries, _ := os.ReadDir(filepath.Join(w.Dir, SystemsDir)) // a folder that is not there has none
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}

// SystemType is what the description of a system says that it is ("edge"); the empty name means the only system. It is
// empty where there is no such description, or it does not say so yet.
func (w *Workspace) SystemType(name string) string {
	if all := w.Systems(); name == "" && len(all) == 1 {
		name = all[0]
	}
	sheet, _, err := readSheet(filepath.Join(w.Dir, SystemsDir, name+".json"), system.Fields())
	if err != nil || system.Unfilled(sheet.Text("system_type")) {
		return ""
	}
	return sheet.Text("system_type")
}

// mostName is how long a name may be: 255 bytes is what file systems take, and names get endings.
const mostName = 200

// CheckName wants a name that is one folder on every system, and that the rules' checks of names take: letters and
// digits of any script, and - _ . + within. what says of what it is the name.
func CheckName(what, name string) error {
	if name == "" {
		return fmt.Errorf("the name of the %s is empty", what)
	}
	if len(name) > mostName {
		return fmt.Errorf("the name of the %s has %d bytes, want at most %d", what, len(name), mostName)
	}
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		return fmt.Errorf("%s %q: a name must not begin with %q, as hidden files and options do", what, name, name[:1])
	}
	for _, c := range name {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c), strings.ContainsRune("-_.+", c):
		case unicode.IsMark(c):
			return fmt.Errorf("%s %q: it has the mark %U beside a letter; write them as one character", what, name, c)
		default:
			return fmt.Errorf("%s %q: %q must not be in the name of a folder; use letters, digits, - _ . +", what, name, c)
		}
	}
	return nil
}
