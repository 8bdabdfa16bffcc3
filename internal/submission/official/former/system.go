package former

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	fields "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// describedSystem is a system with its description.
type describedSystem struct {
	place        tree.Place
	fields       *pyvalue.Dict
	availability string
	typeText     string // system_type as written
	kind         mlconf.SystemType
	network      bool
	mapping      any // the open submitter's mapping of model names
}

// requiredText returns a field that must be a text. Otherwise the checker ends.
func (s *describedSystem) requiredText(name string) (string, error) {
	v, _ := s.fields.Get(name)
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s is %s, want a text", name, pyvalue.Name(v))
	}
	return text, nil
}

// describedSystem reads and judges a description. ok is false if the checker refuses it. Errors are crashes.
func (c *formerChecker) judgeSystem(p tree.Place) (s *describedSystem, ok bool, err error) {
	s = &describedSystem{place: p}
	key := p.Results()
	if !c.files.Exists(p.SystemFile()) {
		c.refusePath(key, groupSystem, "%s is missing", p.SystemFile())
		return s, false, nil
	}
	v, err := c.files.JSON(p.SystemFile())
	if err != nil {
		return s, false, err
	}
	if s.fields, ok = v.(*pyvalue.Dict); !ok {
		return s, false, errors.New("the description is no object")
	}
	status, err := s.requiredText("status")
	if err != nil {
		return s, false, err
	}
	if s.availability = pyvalue.Lower(status); !slices.Contains([]string{"available", "preview", "rdi"}, s.availability) {
		c.refusePath(key, groupSystem, "status is %q, want available, preview or rdi", status)
		return s, false, nil
	}
	if ok, err = c.readSystemType(s); err != nil || !ok {
		return s, false, err
	}
	faults, err := c.checkSystemFields(s)
	for _, fault := range faults {
		c.refusePath(key, groupSystem, "%s", fault)
	}
	return s, len(faults) == 0, err
}

// readSystemType reads the system's type. ok is false if the checker refuses it. Errors are crashes.
func (c *formerChecker) readSystemType(s *describedSystem) (ok bool, err error) {
	typed, _ := s.fields.Get("system_type")
	if s.typeText, ok = typed.(string); c.features.AnySystem && !ok {
		s.typeText = pyvalue.Text(typed)
	}
	s.kind, ok = systemTypes[s.typeText]
	switch ok = ok && !(c.features.OneType && s.kind == mlconf.DatacenterEdge); {
	case ok, c.features.AnySystem && typed == nil:
		return true, nil
	case c.features.AnySystem:
		return false, fmt.Errorf("system_type is %s", pyvalue.Name(typed))
	}
	c.refusePath(s.place.Results(), groupSystem, "system_type is %s", pyvalue.Name(typed))
	return false, nil
}

func (c *formerChecker) checkSystemFields(s *describedSystem) (faults []string, err error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if c.book.HasNetwork {
		if s.network, err = s.isOverNetwork(); err != nil {
			return nil, err
		}
		if !acceptsNetwork(s.place.Division, s.network) {
			fault("is_network is %t in the division %s", s.network, s.place.Division)
		}
	}
	required := fields.Fields()
	if s.network {
		required = append(required, fields.NetworkFields()...)
	}
	for _, field := range required {
		v, has := s.fields.Get(field.Name)
		switch {
		case slices.Contains(c.features.FieldsLater, field.Name):
		case !has:
			fault("the field %s is missing", field.Name)
		case !c.features.LoosePapers && field.Required && !c.SkipMeaningful && !pyvalue.IsTrue(v):
			fault("the field %s is empty", field.Name)
		}
	}
	submitter, err := s.requiredText("submitter")
	if err != nil {
		return nil, err
	}
	if pyvalue.Lower(submitter) != pyvalue.Lower(s.place.Submitter) {
		fault("submitter is %q, the folder's name is %s", submitter, s.place.Submitter)
	}
	if division, _ := s.fields.Get("division"); division != any(s.place.Division) {
		fault("division is %s, the folder's name is %s", pyvalue.Name(division), s.place.Division)
	}
	return faults, nil
}

// isOverNetwork returns the value of is_network in the description.
func (s *describedSystem) isOverNetwork() (bool, error) {
	if v, _ := s.fields.Get(fields.IsNetwork); v == nil {
		return false, nil
	}
	text, err := s.requiredText(fields.IsNetwork)
	return pyvalue.Lower(text) == "true", err
}

// acceptsNetwork reports whether a division accepts systems that are, or are not, behind a network.
func acceptsNetwork(division string, network bool) bool {
	switch division {
	case tree.DivisionNetwork:
		return network
	case tree.DivisionClosed:
		return !network
	}
	return true
}

// mappedModel returns an open submitter's model for a folder's name; empty: none.
func mappedModel(mapping any, folder string) (string, error) {
	names, ok := mapping.(*pyvalue.Dict)
	if !ok {
		return "", errMapping
	}
	v, _ := names.Get(folder)
	if !pyvalue.IsTrue(v) {
		return "", nil
	}
	name, ok := v.(string)
	if !ok {
		return "", errMapping
	}
	return name, nil
}

// findPrograms reports whether the programs of a benchmark exist. A common folder for all its implementations is
// sufficient.
func (c *formerChecker) findPrograms(f *scenarioFolder, implementation string) (dir string, ok bool, err error) {
	dir = path.Join(c.layout.SourceDir(f.place), f.place.Benchmark)
	if size, err := c.files.Size(dir); err == nil && size >= 0 && c.isFile(dir) {
		text, err := c.files.Text(dir)
		if err != nil {
			return dir, false, err
		}
		dir = path.Join(c.layout.SourceDir(f.place), trimSpace(text))
	}
	return path.Join(dir, implementation), c.files.Exists(path.Join(dir, implementation)) || c.files.Exists(dir), nil
}

func (c *formerChecker) isFile(name string) bool {
	names, err := c.files.Files(path.Dir(name))
	return err == nil && slices.Contains(names, path.Base(name))
}
