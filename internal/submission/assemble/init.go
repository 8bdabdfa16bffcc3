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

// InitOptions contains values known in advance. Empty fields are marked in the files for a person to fill in.
type InitOptions struct {
	Submitter  string
	Division   string // of the system; empty: the workspace's, which is "closed" where it is new
	System     string // the name of its file and folder; "system" where it is empty and there is none yet
	SystemType string // "edge", "datacenter" or "datacenter,edge"
}

// Initialized is the result of Init.
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
	if err := w.checkAgreement(name, o); err != nil {
		return nil, err
	}
	known = w.known(o, name, known)
	if err := done.complete(w.systemFile(name), systemFields(known[system.IsNetwork] != ""), known); err != nil {
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

// checkAgreement wants a type and a division that can be, and the description of a system, where it says one, to say
// the same.
func (w *Workspace) checkAgreement(name string, o InitOptions) error {
	asked := Goal{Division: cmp.Or(o.Division, w.goalOf(name).Division)}
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
	if there := w.goalOf(name); sheet.Text("division") != "" && there.Division != asked.Division {
		differ("division", asked.Division)
	} else if there.SystemType != "" && asked.SystemType != "" && there.SystemType != asked.SystemType {
		differ("system_type", asked.SystemType.String())
	}
	return err
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

// systemFields are the fields of a system's description; one for the network division has more.
func systemFields(network bool) []system.Field {
	fields := system.Fields()
	if network {
		behind := system.Field{Name: system.IsNetwork, Ask: `"true": the model is behind a network`}
		for _, f := range append([]system.Field{behind}, system.NetworkFields()...) {
			f.Meaning = true // a reviewer wants to know them, though the official checker lets them be empty
			fields = append(fields, f)
		}
	}
	return fields
}

// networked says whether a system has results in the network division, or is described for it.
func (w *Workspace) networked(name string) bool {
	return w.goalOf(name).Division == tree.DivisionNetwork || slices.ContainsFunc(w.Results, func(r Result) bool {
		return r.System == name && r.Division == tree.DivisionNetwork
	})
}

// known is what is known of a system: what the machine says, and what was said to Init.
func (w *Workspace) known(o InitOptions, name string, machine map[string]string) map[string]string {
	goal := w.goalOf(name)
	division := cmp.Or(o.Division, goal.Division)
	all := map[string]string{
		"division": division, "system_name": name, "system_type": cmp.Or(o.SystemType, goal.SystemType.String()),
	}
	if division == tree.DivisionNetwork || w.networked(name) {
		all[system.IsNetwork] = "true"
	}
	if w.SubmitterKnown() {
		all["submitter"] = w.Submitter
	}
	maps.Copy(all, machine)
	return all
}

// saveWorkspace writes the workspace's file where it is new or has changed.
func (d *Initialized) saveWorkspace() error {
	path := filepath.Join(d.Workspace.Dir, WorkspaceFile)
	before, _ := os.ReadFile(path) // one that is not there has no text
	if err := d.Workspace.saveFile(); err != nil {
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
	text, err = bounded.ReadFile(path, maxWorkspace)
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
