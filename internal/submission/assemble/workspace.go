package assemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// The names of files and folders in a workspace.
const (
	WorkspaceFile    = "submission.json"   // description of the workspace and its runs
	MeasurementsFile = "measurements.json" // data on the models of all benchmarks
	MeasurementsDir  = "measurements"      // BENCHMARK.json: data on one benchmark's model
	SystemsDir       = tree.SystemsDir     // SYSTEM.json
	CalibrationFile  = tree.CalibrationFile
	SourceDir        = "src"       // the submitter's own programs, if any
	OriginalsDir     = "originals" // complete accuracy logs, named by their checksums
)

// Values of the format of WorkspaceFile.
const (
	schemaName    = "plumbline.submission"
	schemaVersion = 1
)

// Workspace is a folder in which a submission is prepared.
type Workspace struct {
	Dir string `json:"-"`

	Schema        string   `json:"schema"`
	SchemaVersion int      `json:"schema_version"`
	Submitter     string   `json:"submitter"` // empty or a placeholder: not known yet
	Division      string   `json:"division"`  // "closed", "open" or "network": the default for systems without a division
	Results       []Result `json:"results"`
}

// Result is a run in the submission.
type Result struct {
	Division  string `json:"division"`
	System    string `json:"system"`
	Benchmark string `json:"benchmark"`      // name of its folder
	Scenario  string `json:"scenario"`       // name of its folder; can be "Interactive"
	Test      string `json:"test,omitempty"` // audit that the run was made for, such as "TEST01"
	Mode      string `json:"mode"`           // "performance" or "accuracy"
	Model     string `json:"model"`          // in the terms of harness run
	Rules     string `json:"rules"`
	Out       string `json:"out"` // output directory of harness run, as an absolute path
	Dir       string `json:"dir"` // folder of the logs, relative to Out
	Log       string `json:"log"` // SHA-256 of the detail log
	Added     string `json:"added"`
	// Marks lists the reasons why the run cannot be submitted; usually empty.
	Marks []string `json:"marks,omitempty"`
}

// String returns the run's name, such as "closed/toy_edge/bert-99/Offline accuracy" or
// "closed/toy_edge/bert-99/Offline/TEST01 performance".
func (r Result) String() string { return strings.Join(r.nameParts(), "/") + " " + r.Mode }

// nameParts returns the elements of the run's name, which are names of folders in the tree.
func (r Result) nameParts() []string {
	all := []string{r.Division, r.System, r.Benchmark, r.Scenario}
	if r.Test != "" {
		all = append(all, r.Test)
	}
	return all
}

// hasSamePlace reports whether two runs have the same place in the tree.
func (r Result) hasSamePlace(o Result) bool {
	return r.Mode == o.Mode && slices.Equal(r.nameParts(), o.nameParts())
}

// The errors about a workspace's files. All wrap ErrWorkspace. If there is no workspace at all, they also wrap
// ErrNoWorkspace.
var (
	ErrWorkspace   = errors.New("not a submission's workspace")
	ErrNoWorkspace = fmt.Errorf("%w", ErrWorkspace)
)

// maxWorkspaceSize is the maximum size in bytes of a workspace's file, which has a line for each run.
const maxWorkspaceSize = 64 << 20

// OpenWorkspace reads a workspace.
func OpenWorkspace(dir string) (*Workspace, error) {
	path := filepath.Join(dir, WorkspaceFile)
	text, err := bounded.ReadFile(path, maxWorkspaceSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist; make one with harness submission init", ErrNoWorkspace, path)
	}
	if err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", ErrWorkspace, path, bounded.ExplainJSONError("", err))
	}
	if w.Schema != schemaName || w.SchemaVersion != schemaVersion {
		return nil, fmt.Errorf("%w: %s: schema %q version %d, want %q version %d", ErrWorkspace, path, w.Schema,
			w.SchemaVersion, schemaName, schemaVersion)
	}
	for i := range w.Results {
		if w.Results[i].Division == "" { // written when a workspace had a single division
			w.Results[i].Division = w.Division
		}
	}
	if err := w.checkNames(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// UpdateWorkspace opens a workspace, calls change, and saves it. It holds a lock meanwhile, so no other process changes
// the workspace or builds from it.
func UpdateWorkspace(ctx context.Context, dir string, change func(*Workspace) error) error {
	w, err := OpenWorkspace(dir) // so no lock file is created outside workspaces
	if err != nil {
		return err
	}
	release, err := w.lockWorkspace(ctx)
	if err != nil {
		return err
	}
	defer release()
	if w, err = OpenWorkspace(dir); err != nil {
		return err
	}
	return change(w)
}

func (w *Workspace) lockWorkspace(ctx context.Context) (release func(), err error) {
	release, err = filelock.HoldLock(ctx, filepath.Join(w.Dir, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("the workspace %s: %w", w.Dir, err)
	}
	return release, nil
}

// checkNames returns an error if a name cannot be a folder.
func (w *Workspace) checkNames() error {
	var faults []error
	if w.SubmitterKnown() {
		faults = append(faults, CheckName("submitter", w.Submitter))
	}
	faults = append(faults, checkDivision(w.Division))
	for _, r := range w.Results {
		faults = append(faults, checkDivision(r.Division), CheckName("system", r.System), CheckName("benchmark", r.Benchmark),
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

func checkDivision(name string) error {
	if slices.Contains(tree.Divisions(), name) {
		return nil
	}
	return fmt.Errorf("division %q, want one of %s", name, strings.Join(tree.Divisions(), ", "))
}

// SubmitterKnown reports whether the submitter's name has been filled in.
func (w *Workspace) SubmitterKnown() bool {
	return w.Submitter != "" && !system.IsUnfilled(w.Submitter)
}

// saveFile writes the workspace's file.
func (w *Workspace) saveFile() error {
	if w.Results == nil {
		w.Results = []Result{}
	}
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(w.Dir, WorkspaceFile), append(text, '\n'), 0o644)
}

// Rules returns the round of the runs; empty: no runs.
func (w *Workspace) Rules() string {
	if len(w.Results) == 0 {
		return ""
	}
	return w.Results[0].Rules
}

// Systems returns the names of the systems with descriptions, sorted.
func (w *Workspace) Systems() []string {
	entries, _ := os.ReadDir(filepath.Join(w.Dir, SystemsDir)) // a missing folder has no entries
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}

// Goal is the system type and division that a system is submitted for.
type Goal struct {
	SystemType mlconf.SystemType // empty: not given in its description yet
	Division   string
}

// Goal returns the goal of a system. For an empty name it returns the common goal of all systems in the workspace, or
// an error if their goals differ.
func (w *Workspace) Goal(name string) (Goal, error) {
	if name != "" {
		return w.systemGoal(name), nil
	}
	goals := map[Goal]string{}
	for _, name := range w.Systems() {
		goals[w.systemGoal(name)] = name
	}
	if len(goals) > 1 {
		return Goal{}, fmt.Errorf("the systems of %s, %s, are not of one type and division: say of which type the system is "+
			"with --system-type, and its --division", w.Dir, strings.Join(w.Systems(), ", "))
	}
	for goal := range goals {
		return goal, nil
	}
	return Goal{Division: w.Division}, nil
}

func (w *Workspace) systemGoal(name string) Goal {
	g := Goal{Division: w.Division}
	sheet, _, err := readSheet(filepath.Join(w.Dir, w.systemFile(name)), system.Fields())
	if err != nil {
		return g
	}
	g.SystemType, _ = mlconf.ParseSystemType(sheet.Text("system_type")) // zero while not filled in
	if text := sheet.Text("division"); checkDivision(text) == nil {
		g.Division = text
	}
	return g
}

// maxNameLength is the maximum length of a name in bytes. File systems accept 255 bytes, and names get extensions.
const maxNameLength = 200

// CheckName returns an error if a name cannot be a folder on every system, or violates the rules' checks of names. A
// name contains letters and digits of any script, and - _ . + inside. what names the named object in the error.
func CheckName(what, name string) error {
	if name == "" {
		return fmt.Errorf("the name of the %s is empty", what)
	}
	if len(name) > maxNameLength {
		return fmt.Errorf("the name of the %s has %d bytes, want at most %d", what, len(name), maxNameLength)
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
