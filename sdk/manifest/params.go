package manifest

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// Bind reads parameters into the struct that to points to, by its tags; see [option.Bind].
func (r *Request) Bind(to any, readers ...option.ParamReader) { option.Bind(r.Params, to, readers...) }

// declareParams combines the manifest's parameters with the structs to which an author binds them. Each parameter has
// its help in one place: the row of the manifest or the tag of a struct's field. A default in a tag applies to every
// model and file without its own default. If there are structs, every parameter must be bound to a field.
func (m *Manifest) declareParams(structs []any) error {
	var faults []error
	bound := map[string]bool{}
	for _, s := range structs {
		fields, err := structFields(s)
		if err != nil {
			faults = append(faults, fmt.Errorf("parameters of %T: %w", s, err))
		}
		for _, f := range fields {
			if !bound[f.Name] {
				faults = append(faults, m.declareField(f))
			}
			bound[f.Name] = true
		}
	}
	for _, p := range m.Params {
		if len(structs) > 0 && !bound[p.Name] {
			faults = append(faults, fmt.Errorf("parameter %q of the manifest is bound to no field", p.Name))
		}
	}
	return errors.Join(faults...)
}

// structFields returns the fields of a struct, or the parameter of an asset.
func structFields(of any) ([]option.ParamField, error) {
	if a, ok := of.(AssetFile); ok {
		return []option.ParamField{{Name: a.Param}}, nil
	}
	return option.Fields(of)
}

func (m *Manifest) declareField(f option.ParamField) error {
	row := m.hasParam(f.Name)
	switch {
	case row && f.Roles != "":
		return fmt.Errorf("parameter %q has a row of the manifest, and roles in a tag: want them in the row", f.Name)
	case row && f.Help != "":
		return fmt.Errorf("parameter %q has help in the manifest and in a tag, want it in one of them", f.Name)
	case !row && f.Help == "":
		return fmt.Errorf("parameter %q of a field has no help, want a row of the manifest or the tag help", f.Name)
	case !row:
		m.Params = append(m.Params, sdk.ParamInfo{Name: f.Name, Help: f.Help, Roles: f.Roles})
	}
	if f.HasDefault {
		for _, defaults := range m.allDefaults() {
			if *defaults == nil {
				*defaults = map[string]string{}
			}
			if _, ok := (*defaults)[f.Name]; !ok {
				(*defaults)[f.Name] = f.Default
			}
		}
	}
	return nil
}

// allDefaults returns the defaults of all models and embedded files.
func (m *Manifest) allDefaults() []*map[string]string {
	all := []*map[string]string{&m.Embedded.Defaults}
	for i := range m.Models {
		e := &m.Models[i]
		if all = append(all, &e.Defaults); e.Embedded != nil {
			all = append(all, &e.Embedded.Defaults)
		}
	}
	return all
}
