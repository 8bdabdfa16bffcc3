package checker

import (
	"errors"
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/power"
	fields "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

const groupSystem = "system"

func (c *checker) checkSystem(f *folder) {
	if status := f.textField("status"); !slices.Contains([]string{"available", "preview", "rdi"}, pyvalue.Lower(status)) {
		f.addFault(groupSystem, "status is %q, want available, preview or rdi", status)
	}
	v, _ := f.fields.Get("system_type")
	kind, _ := v.(string)
	if _, ok := fields.ParseType(kind); !ok {
		f.addFault(groupSystem, "system_type is %s", pyvalue.Name(v))
	}
	if yes, ok := f.isNetwork(); !ok {
		f.addFault(groupSystem, "is_network is no text")
	} else if want := requiredIsNetwork[f.place.Division]; want != "" && (want == "true") != yes {
		f.addFault(groupSystem, "is_network is %t in the division %s", yes, f.place.Division)
	}
	c.checkRequiredFields(f)
	c.checkSameName(f, "submitter", f.place.Submitter)
	c.checkSameName(f, "division", f.place.Division)
	c.checkNameplate(f)
}

// textField returns a text field of the description, or "".
func (s system) textField(name string) string {
	v, _ := s.fields.Get(name)
	text, _ := v.(string)
	return text
}

func (c *checker) checkRequiredFields(f *folder) {
	required := fields.Fields()
	if v, _ := f.fields.Get(fields.IsNetwork); pyvalue.IsTrue(v) {
		required = append(required, fields.NetworkFields()...)
	}
	for _, field := range required {
		v, ok := f.fields.Get(field.Name)
		switch {
		case !ok:
			f.addFault(groupSystem, "the field %s is missing", field.Name)
		case field.Required && !c.SkipMeaningful && !pyvalue.IsTrue(v):
			f.addFault(groupSystem, "the field %s is empty", field.Name)
		}
	}
}

func (c *checker) checkSameName(f *folder, field, folder string) {
	v, _ := f.fields.Get(field)
	if text, ok := v.(string); !ok || pyvalue.Lower(text) != pyvalue.Lower(folder) {
		f.addFault(groupSystem, "%s is %s, the folder's name is %s", field, pyvalue.Name(v), folder)
	}
}

// checkNameplate checks the ratings of the system's power supplies, from v6.1 on, for results with power.
func (c *checker) checkNameplate(f *folder) {
	if f.nameplate.file == "" {
		return
	}
	f.designPower = "None"
	if !c.hasPower(f) {
		return
	}
	if v, ok := f.fields.Get("system_power_capacity"); ok {
		f.designPower = pyvalue.Text(v)
		return
	}
	switch n := f.nameplate; {
	case !n.exists:
	case errors.Is(n.err, power.ErrEmpty):
		f.addFault(groupSystem, "%s is empty", n.file)
	case n.err != nil:
		f.addFault(groupSystem, "%s: %v", n.file, n.err)
	default:
		f.designPower = n.watts.String()
	}
}

func (c *checker) hasPower(f *folder) bool { return c.files.Exists(f.place.Power()) }

const groupMeasurements = "measurements"

func (c *checker) checkMeasurements(f *folder) {
	if src := c.layout.SourceDir(f.place); !c.files.Exists(src) {
		f.addFault(groupMeasurements, "%s is missing", src)
	}
	c.checkMeasurementFiles(f)
	list, ok := f.measurements.(*pyvalue.Dict)
	if !ok {
		f.addFault(groupMeasurements, "the measurements file is missing, or no object")
		return
	}
	for _, field := range fields.Measurements() {
		v, ok := list.Get(field.Name)
		switch {
		case !ok:
			f.addFault(groupMeasurements, "the field %s is missing", field.Name)
		case !c.SkipMeaningful && !pyvalue.IsTrue(v):
			f.addFault(groupMeasurements, "the field %s is empty", field.Name)
		}
	}
}

func (c *checker) checkMeasurementFiles(f *folder) {
	dir := c.layout.Measurements(f.place)
	names, err := c.files.Files(dir)
	if err != nil {
		f.addFault(groupMeasurements, "%s cannot be read: %v", dir, err)
		return
	}
	for _, name := range []string{tree.UserConf, tree.Readme} {
		if !slices.Contains(names, name) {
			f.addFault(groupMeasurements, "%s is missing", path.Join(dir, name))
			continue
		}
		if size, err := c.files.Size(path.Join(dir, name)); !c.SkipEmptyFiles && (err != nil || size == 0) {
			f.addFault(groupMeasurements, "%s is empty", path.Join(dir, name))
		}
	}
}
