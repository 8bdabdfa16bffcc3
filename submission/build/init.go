package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/submission/system"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// InitOptions are what is known beforehand. What is empty is marked in the files, for a person to fill in.
type InitOptions struct {
	Submitter  string
	Division   string // "closed" where it is empty and the workspace is new
	System     string // the name of its file and folder; "system" where it is empty and there is none yet
	SystemType string // "edge", "datacenter" or "datacenter,edge"
}

// Initialized is what Init found and did.
type Initialized struct {
	Workspace *Workspace
	System    string
	Written   []string // files that are new or have changed, relative to the workspace
	Open      []Unfilled
}

// Unfilled is a field that a person must fill in.
type Unfilled struct {
	File string // relative to the workspace
	system.Open
}

func (u Unfilled) String() string { return u.File + "  " + u.Open.String() }

// Init makes a workspace in dir, or adds what is missing there: the description of a system, of which known is what
// the machine says, and a template of measurements. What a person wrote stays.
func Init(dir string, o InitOptions, known map[string]string) (*Initialized, error) {
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
	if err := done.complete(w.systemFile(name), w.systemFields(), w.known(o, name, known)); err != nil {
		return nil, err
	}
	if err := done.complete(MeasurementsFile, system.Measurements(), nil); err != nil {
		return nil, err
	}
	done.Open, err = w.Open()
	return done, err
}

// openOrNew reads the workspace, or makes one; what it says and what was asked for must be the same.
func openOrNew(dir string, o InitOptions) (*Workspace, error) {
	w, err := OpenWorkspace(dir)
	if _, missing := os.Lstat(filepath.Join(dir, WorkspaceFile)); errors.Is(missing, fs.ErrNotExist) {
		w = &Workspace{
			Dir: dir, Schema: schema, SchemaVersion: schemaVersion, Submitter: o.Submitter, Division: o.Division,
		}
		if w.Division == "" {
			w.Division = tree.DivisionClosed
		}
		if w.Submitter == "" {
			w.Submitter = system.FillIn + "the name of your organisation, as its folder is called"
		}
		err = w.check()
	}
	if err != nil {
		return nil, err
	}
	if !w.SubmitterKnown() && o.Submitter != "" {
		w.Submitter = o.Submitter
	}
	return w, errors.Join(w.check(), differs("submitter", w.Submitter, o.Submitter),
		differs("division", w.Division, o.Division))
}

func differs(what, there, asked string) error {
	if asked == "" || asked == there {
		return nil
	}
	return fmt.Errorf("the %s is %s, found %s in %s; a workspace is for one submitter and division: change it there, or "+
		"use another folder", what, asked, there, WorkspaceFile)
}

// chooseSystem is the system that is described: the one asked for, else the one that is there.
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

// systemFields are the fields of a description; the network division has more.
func (w *Workspace) systemFields() []system.Field {
	fields := system.Fields()
	if w.Division == tree.DivisionNetwork {
		behind := system.Field{Name: system.IsNetwork, Meaning: true, Ask: `"true": the model is behind a network`}
		fields = append(append(fields, behind), system.NetworkFields()...)
	}
	return fields
}

// known is what is known of a system: what the machine says, and what was said to Init.
func (w *Workspace) known(o InitOptions, name string, machine map[string]string) map[string]string {
	all := map[string]string{"division": w.Division, "system_name": name, "system_type": o.SystemType}
	if w.Division == tree.DivisionNetwork {
		all[system.IsNetwork] = "true"
	}
	if w.SubmitterKnown() {
		all["submitter"] = w.Submitter
	}
	for field, value := range machine {
		all[field] = value
	}
	return all
}

// saveWorkspace writes the workspace's file where it is new or has changed.
func (d *Initialized) saveWorkspace() error {
	path := filepath.Join(d.Workspace.Dir, WorkspaceFile)
	before, _ := os.ReadFile(path) // one that is not there has no text
	if err := d.Workspace.save(); err != nil {
		return err
	}
	after, err := os.ReadFile(path)
	if !bytes.Equal(before, after) {
		d.Written = append(d.Written, WorkspaceFile)
	}
	return err
}

// complete writes what is known into a sheet's open fields, and the file where that changes it.
func (d *Initialized) complete(file string, fields []system.Field, known map[string]string) error {
	path := filepath.Join(d.Workspace.Dir, file)
	sheet, before, err := readSheet(path, fields)
	if err != nil {
		return err
	}
	if file == MeasurementsFile {
		template(sheet)
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

// template makes a sheet of measurements: an empty field means what each run says of itself.
func template(sheet *system.Sheet) {
	for _, f := range system.Measurements() {
		if !sheet.Has(f.Name) {
			sheet.Put(f.Name, map[string]string{"retraining": "N"}[f.Name])
		}
	}
}

// readSheet reads a sheet; one that is not there is empty.
func readSheet(path string, fields []system.Field) (s *system.Sheet, text []byte, err error) {
	text, err = os.ReadFile(path)
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
