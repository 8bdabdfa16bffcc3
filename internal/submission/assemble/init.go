package assemble

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// InitOptions contains values that are known in advance. A person must fill in the empty ones in the files.
type InitOptions struct {
	Submitter  string
	Division   string // of the system; empty: the workspace's division, "closed" in a new one
	System     string // name of its file and folder; empty: the workspace's only system, or "system" in a new one
	SystemType string // "edge", "datacenter" or "datacenter,edge"
}

// Initialized is the result of Init.
type Initialized struct {
	Workspace  *Workspace
	System     string
	Written    []string // new and changed files, relative to the workspace
	OpenFields []Unfilled
}

// Unfilled is a field that a person must fill in.
type Unfilled struct {
	File string // relative to the workspace
	system.OpenField
}

func (u Unfilled) String() string { return u.File + "  " + u.OpenField.String() }

// InitWorkspace creates a workspace in dir or completes an existing one: the description of a system and a template of
// measurements. known contains the values that the machine reports. Init does not change what a person has written.
func InitWorkspace(dir string, o InitOptions, known map[string]string) (*Initialized, error) {
	w, err := openOrNew(dir, o)
	if err != nil {
		return nil, err
	}
	name, err := w.chooseSystem(o.System)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, SystemsDir), 0o755); err != nil {
		return nil, err
	}
	done := &Initialized{Workspace: w, System: name}
	if err := done.saveWorkspace(); err != nil {
		return nil, err
	}
	if err := w.checkAgreement(name, o); err != nil {
		return nil, err
	}
	known = w.knownFields(o, name, known)
	if err := done.completeSheet(w.systemFile(name), systemFields(known[system.IsNetwork] != ""), known); err != nil {
		return nil, err
	}
	if err := done.completeSheet(MeasurementsFile, system.Measurements(), nil); err != nil {
		return nil, err
	}
	done.OpenFields, err = w.OpenFields()
	return done, err
}

// openOrNew reads the workspace or creates one. It returns an error if the workspace contradicts the options.
func openOrNew(dir string, o InitOptions) (*Workspace, error) {
	w, err := OpenWorkspace(dir)
	if _, missing := os.Lstat(filepath.Join(dir, WorkspaceFile)); errors.Is(missing, fs.ErrNotExist) {
		w = &Workspace{
			Dir: dir, Schema: schemaName, SchemaVersion: schemaVersion, Submitter: o.Submitter, Division: o.Division,
		}
		w.Division = cmp.Or(w.Division, tree.DivisionClosed)
		w.Submitter = cmp.Or(w.Submitter, system.FillIn+"the name of your organisation, as its folder is called")
		err = w.checkNames()
	}
	if err != nil {
		return nil, err
	}
	if !w.SubmitterKnown() && o.Submitter != "" {
		w.Submitter = o.Submitter
	}
	err = w.checkNames()
	if o.Submitter != "" && o.Submitter != w.Submitter {
		err = errors.Join(err, fmt.Errorf("the submitter is %s, found %s in %s; a workspace is for one submitter: change it "+
			"there, or use another folder", o.Submitter, w.Submitter, WorkspaceFile))
	}
	return w, err
}

// checkAgreement returns an error if the type or division is invalid or contradicts the description of the system.
func (w *Workspace) checkAgreement(name string, o InitOptions) error {
	asked := Goal{Division: cmp.Or(o.Division, w.systemGoal(name).Division)}
	err := checkDivision(asked.Division)
	if o.SystemType != "" {
		var unknown error
		asked.SystemType, unknown = mlconf.ParseSystemType(o.SystemType)
		err = errors.Join(err, unknown)
	}
	sheet, _, unread := readSheet(filepath.Join(w.Dir, w.systemFile(name)), system.Fields())
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	differ := func(field string, asked string) {
		err = errors.Join(err, fmt.Errorf("the %s of system %s is %s, found %s in %s: change it there, or describe another "+
			"system with --system", field, name, asked, sheet.Text(field), w.systemFile(name)))
	}
	if there := w.systemGoal(name); sheet.Text("division") != "" && there.Division != asked.Division {
		differ("division", asked.Division)
	} else if there.SystemType != "" && asked.SystemType != "" && there.SystemType != asked.SystemType {
		differ("system_type", asked.SystemType.String())
	}
	return err
}

// chooseSystem returns the system to describe: the requested one, or else the workspace's only one.
func (w *Workspace) chooseSystem(asked string) (string, error) {
	there := w.Systems()
	switch {
	case asked != "":
		return asked, CheckName("system", asked)
	case len(there) == 0:
		return "system", nil
	case len(there) == 1:
		return there[0], nil
	}
	return "", fmt.Errorf("there are %d systems, %q: say which with --system", len(there), there)
}

func (w *Workspace) systemFile(name string) string { return filepath.Join(SystemsDir, name+".json") }

// systemFields returns the fields of a system's description, with additional ones for the network division.
func systemFields(network bool) []system.Field {
	fields := system.Fields()
	if network {
		behind := system.Field{Name: system.IsNetwork, Ask: `"true": the model is behind a network`}
		for _, f := range append([]system.Field{behind}, system.NetworkFields()...) {
			f.Required = true // reviewers need them, although the official checker accepts empty fields
			fields = append(fields, f)
		}
	}
	return fields
}

// isNetworked reports whether a system has results in the network division or its description names that division.
func (w *Workspace) isNetworked(name string) bool {
	return w.systemGoal(name).Division == tree.DivisionNetwork || slices.ContainsFunc(w.Results, func(r Result) bool {
		return r.System == name && r.Division == tree.DivisionNetwork
	})
}

// knownFields returns the known values of a system: those of the machine and those of the options.
func (w *Workspace) knownFields(o InitOptions, name string, machine map[string]string) map[string]string {
	goal := w.systemGoal(name)
	division := cmp.Or(o.Division, goal.Division)
	all := map[string]string{
		"division": division, "system_name": name, "system_type": cmp.Or(o.SystemType, goal.SystemType.String()),
	}
	if division == tree.DivisionNetwork || w.isNetworked(name) {
		all[system.IsNetwork] = "true"
	}
	if w.SubmitterKnown() {
		all["submitter"] = w.Submitter
	}
	maps.Copy(all, machine)
	return all
}

// saveWorkspace writes the workspace's file and records whether it has changed.
func (d *Initialized) saveWorkspace() error {
	path := filepath.Join(d.Workspace.Dir, WorkspaceFile)
	before, _ := os.ReadFile(path) // a missing file counts as empty
	if err := d.Workspace.saveFile(); err != nil {
		return err
	}
	after, err := os.ReadFile(path)
	if !bytes.Equal(before, after) {
		d.Written = append(d.Written, WorkspaceFile)
	}
	return err
}

// completeSheet fills known values into the open fields of a sheet and writes the sheet if it has changed.
func (d *Initialized) completeSheet(file string, fields []system.Field, known map[string]string) error {
	path := filepath.Join(d.Workspace.Dir, file)
	sheet, before, err := readSheet(path, fields)
	if err != nil {
		return err
	}
	if file == MeasurementsFile {
		addMissingFields(sheet)
	} else {
		sheet.Complete(known)
	}
	text := sheet.JSON()
	if bytes.Equal(before, text) {
		return nil
	}
	d.Written = append(d.Written, file)
	return wholefile.Write(path, text, 0o644)
}

// addMissingFields adds all missing fields to a sheet of measurements. An empty field takes its value from each run.
func addMissingFields(sheet *system.Sheet) {
	for _, f := range system.Measurements() {
		if !sheet.Has(f.Name) {
			sheet.Put(f.Name, map[string]string{"retraining": "N"}[f.Name])
		}
	}
}

// readSheet reads a sheet. A missing file gives an empty sheet.
func readSheet(path string, fields []system.Field) (s *system.Sheet, text []byte, err error) {
	text, err = bounded.ReadFile(path, maxWorkspaceSize)
	if errors.Is(err, fs.ErrNotExist) {
		return system.NewSheet(fields), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	s, err = system.ReadSheet(text, fields)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, text, nil
}
