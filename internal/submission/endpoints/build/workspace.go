package build

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
)

// Values of the format of a workspace's file.
const (
	schemaName    = "plumbline.endpoints-submission"
	schemaVersion = 1
)

// maxFile is the maximum size in bytes of the files of workspaces and points.
const maxFile = 64 << 20

// Workspace is a folder in which a submission is prepared.
type Workspace struct {
	Dir string `json:"-"`

	Schema        string  `json:"schema"`
	SchemaVersion int     `json:"schema_version"`
	Rules         string  `json:"rules"`
	Organisation  string  `json:"organisation"`
	Submission    string  `json:"submission_id"`
	Points        []Point `json:"points"`
}

// Point is the folder of a run in the submission.
type Point struct {
	System      string   `json:"system"`
	Model       string   `json:"model"`
	Concurrency int      `json:"concurrency"`
	Mode        string   `json:"mode"` // Performance, possibly with its accuracy, or Accuracy
	Dir         string   `json:"dir"`  // absolute path
	SHA256      string   `json:"sha256"`
	Added       string   `json:"added"`
	Marks       []string `json:"marks,omitempty"` // reasons why it cannot be submitted
}

// The modes of points.
const (
	Performance = "performance"
	Accuracy    = "accuracy"
)

// String returns the point's name, such as "X200x8/gpt-oss-120b/r24 performance".
func (p Point) String() string {
	return fmt.Sprintf("%s/%s/r%d %s", p.System, p.Model, p.Concurrency, p.Mode)
}

func (p Point) hasSameName(o Point) bool {
	return p.System == o.System && p.Model == o.Model && p.Concurrency == o.Concurrency && p.Mode == o.Mode
}

// IsWorkspace reports whether a folder is a workspace of a submission to MLPerf Endpoints.
func IsWorkspace(dir string) bool {
	var w Workspace
	text, err := bounded.ReadFile(filepath.Join(dir, assemble.WorkspaceFile), maxFile)
	return err == nil && json.Unmarshal(text, &w) == nil && w.Schema == schemaName
}

// OpenWorkspace reads a workspace.
func OpenWorkspace(dir string) (*Workspace, error) {
	path := filepath.Join(dir, assemble.WorkspaceFile)
	text, err := bounded.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s does not exist; make one with harness submission init --rules %s",
			assemble.ErrNoWorkspace, path, endpoints.NewestRules().Name)
	}
	if err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", assemble.ErrWorkspace, path, bounded.ExplainJSONError("", err))
	}
	if w.Schema != schemaName || w.SchemaVersion != schemaVersion {
		return nil, fmt.Errorf("%w: %s: schema %q version %d, want %q version %d: another submission is prepared there; "+
			"give another --workspace", assemble.ErrWorkspace, path, w.Schema, w.SchemaVersion, schemaName, schemaVersion)
	}
	if err := w.checkNames(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// checkNames returns an error if a name cannot be a folder.
func (w *Workspace) checkNames() error {
	faults := []error{assemble.CheckName("organisation", w.Organisation),
		assemble.CheckName("submission", w.Submission)}
	for _, p := range w.Points {
		faults = append(faults, assemble.CheckName("system", p.System), assemble.CheckName("model", p.Model))
	}
	return errors.Join(faults...)
}

// UpdateWorkspace opens a workspace, calls change, and saves it. It holds a lock meanwhile.
func UpdateWorkspace(ctx context.Context, dir string, change func(*Workspace) error) error {
	if _, err := OpenWorkspace(dir); err != nil { // so no lock file is created outside workspaces
		return err
	}
	release, err := filelock.HoldLock(ctx, filepath.Join(dir, ".lock"))
	if err != nil {
		return fmt.Errorf("the workspace %s: %w", dir, err)
	}
	defer release()
	w, err := OpenWorkspace(dir)
	if err != nil {
		return err
	}
	return change(w)
}

func (w *Workspace) saveFile() error {
	if w.Points == nil {
		w.Points = []Point{}
	}
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(w.Dir, assemble.WorkspaceFile), append(text, '\n'), 0o644)
}

// InitOptions contains values that are known in advance.
type InitOptions struct {
	Organisation string // name of its folder
	Submission   string // submission id; empty: "pending", until the organisers assign one
	Division     string // Standardized, Serviced or RDI
	System       string // name of its folder; empty: the workspace's only system, or "system"
	Node         string // type of node of this machine; empty: "node"
}

// pendingID replaces the id of a submission that has none yet.
const pendingID = "pending"

// InitWorkspace creates a workspace in dir or completes an existing one: the sheets of a system, and of this machine's
// type of node. known contains the values that the machine reports. Init does not change what a person has written. It
// returns the new and changed files, relative to dir.
func InitWorkspace(dir string, o InitOptions, known map[string]string, rules *endpoints.Rules) (w *Workspace,
	written []string,
	err error) {
	w, err = OpenWorkspace(dir)
	if errors.Is(err, assemble.ErrNoWorkspace) {
		w, err = &Workspace{Dir: dir, Schema: schemaName, SchemaVersion: schemaVersion, Rules: rules.Name,
			Organisation: o.Organisation, Submission: cmp.Or(o.Submission, pendingID)}, nil
		if o.Organisation == "" {
			return nil, nil, errors.New("--submitter is missing: the name of your organisation, as its folder is called")
		}
		written = append(written, assemble.WorkspaceFile)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.Organisation != "" && o.Organisation != w.Organisation {
		return nil, nil, fmt.Errorf("the submitter is %s, found %s in %s: change it there, or use another folder",
			o.Organisation, w.Organisation, assemble.WorkspaceFile)
	}
	w.Submission = cmp.Or(o.Submission, w.Submission)
	name, err := w.chooseSystem(o.System)
	node := cmp.Or(o.Node, "node")
	if err := errors.Join(err, assemble.CheckName("node", node), w.checkNames()); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, assemble.SystemsDir, name, nodesDir), 0o755); err != nil {
		return nil, nil, err
	}
	if err := w.saveFile(); err != nil {
		return nil, nil, err
	}
	of := map[string]string{}
	maps.Copy(of, known)
	of["submitter_org_names"], of["system_name"], of["division"] = w.Organisation, name, o.Division
	of["accelerator_memory_type"] = known["accelerator_memory_configuration"]
	if len([]rune(name)) <= maxShortName {
		of["shortened_system_name"] = name
	}
	for _, one := range []struct {
		file   string
		fields []system.Field
	}{{systemFile(name), systemFields()}, {nodeFile(name, node), nodeFields()}} {
		changed, err := w.completeSheet(one.file, one.fields, of)
		if err != nil {
			return nil, nil, err
		}
		if changed {
			written = append(written, one.file)
		}
	}
	return w, written, nil
}

// maxShortName is the maximum length of a system's short name in characters.
const maxShortName = 20

// The folders of sheets.
const (
	nodesDir  = "nodes"
	modelsDir = "models"
)

func systemFile(name string) string {
	return filepath.Join(assemble.SystemsDir, name, "system.json")
}

func nodeFile(name, node string) string {
	return filepath.Join(assemble.SystemsDir, name, nodesDir, node+".json")
}

func modelFile(name string) string { return filepath.Join(modelsDir, name+".json") }

// completeSheet fills known values into the open fields of a sheet, and reports whether the file has changed.
func (w *Workspace) completeSheet(file string, fields []system.Field, known map[string]string) (changed bool,
	err error) {
	sheet, before, err := w.readSheet(file, fields)
	if err != nil {
		return false, err
	}
	sheet.Complete(known)
	text := sheet.JSON()
	if string(before) == string(text) {
		return false, nil
	}
	return true, wholefile.Write(filepath.Join(w.Dir, file), text, 0o644)
}

// readSheet reads a sheet. A missing file gives an empty sheet.
func (w *Workspace) readSheet(file string, fields []system.Field) (s *system.Sheet, text []byte, err error) {
	text, err = bounded.ReadFile(filepath.Join(w.Dir, file), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return system.NewSheet(fields), nil, nil
	}
	if err == nil {
		s, err = system.ReadSheet(text, fields)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, text, nil
}

// Systems returns the names of the systems with a sheet, sorted.
func (w *Workspace) Systems() []string {
	return w.listNames(assemble.SystemsDir, func(e fs.DirEntry) (string, bool) { return e.Name(), e.IsDir() })
}

// nodeKinds returns the names of a system's types of nodes, sorted.
func (w *Workspace) nodeKinds(name string) []string {
	return w.sheetNames(assemble.SystemsDir, name, nodesDir)
}

// sheetNames returns the names of the sheets in a folder.
func (w *Workspace) sheetNames(folder ...string) []string {
	return w.listNames(filepath.Join(folder...), func(e fs.DirEntry) (string, bool) {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		return name, ok && !e.IsDir()
	})
}

func (w *Workspace) listNames(folder string, pick func(fs.DirEntry) (string, bool)) (names []string) {
	entries, _ := os.ReadDir(filepath.Join(w.Dir, folder)) // a missing folder has no entries
	for _, e := range entries {
		if name, ok := pick(e); ok {
			names = append(names, name)
		}
	}
	return names
}

// chooseSystem returns the requested system, or else the workspace's only one.
func (w *Workspace) chooseSystem(asked string) (string, error) {
	there := w.Systems()
	switch {
	case asked != "":
		return asked, assemble.CheckName("system", asked)
	case len(there) == 0:
		return "system", nil
	case len(there) == 1:
		return there[0], nil
	}
	return "", fmt.Errorf("there are %d systems, %q: say which with --system", len(there), there)
}

// OpenFields returns the fields that a person must still fill in.
func (w *Workspace) OpenFields() (open []assemble.Unfilled, err error) {
	add := func(file string, fields []system.Field) {
		sheet, _, fault := w.readSheet(file, fields)
		if err = errors.Join(err, fault); fault != nil {
			return
		}
		for _, o := range sheet.OpenFields() {
			open = append(open, assemble.Unfilled{File: file, OpenField: o})
		}
	}
	for _, name := range w.Systems() {
		add(systemFile(name), systemFields())
		for _, node := range w.nodeKinds(name) {
			add(nodeFile(name, node), nodeFields())
		}
	}
	models := w.sheetNames(modelsDir)
	for _, p := range w.Points {
		models = append(models, p.Model)
	}
	slices.Sort(models)
	for _, model := range slices.Compact(models) {
		add(modelFile(model), modelFields())
	}
	return open, err
}
