package bfcl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// schemaTypes maps the type names in descriptions to types of JSON Schema. Any other name becomes string.
var schemaTypes = map[string]string{
	"integer": "integer", "byte": "integer", "short": "integer", "long": "integer", "Bigint": "integer",
	"number": "number", "float": "number", "double": "number",
	"boolean": "boolean", "bool": "boolean",
	"array": "array", "list": "array", "tuple": "array", "ArrayList": "array", "Array": "array", "Queue": "array",
	"Stack": "array",
	"dict":  "object", "object": "object", "HashMap": "object", "Hashtable": "object",
	"string": "string", "any": "string", "Any": "string", "char": "string", "String": "string",
}

// ServerTool converts a function's description to the form that servers expect. It returns a copy that has a name
// without dots and the types of JSON Schema. It fails for the same descriptions as bfcl-eval.
func ServerTool(function any) (*pyvalue.Dict, error) {
	of, ok := deepCopy(function).(*pyvalue.Dict)
	if !ok {
		return nil, fmt.Errorf("a function is %s, want an object", pyvalue.Name(function))
	}
	name, ok := pyvalue.Field[string](of, "name")
	if !ok {
		return nil, errors.New("a function has no name")
	}
	of.Set("name", strings.ReplaceAll(name, ".", "_"))
	parameters, ok := pyvalue.Field[*pyvalue.Dict](of, "parameters")
	if !ok {
		return nil, fmt.Errorf("function %s has no parameters", name)
	}
	parameters.Set("type", "object")
	properties, ok := pyvalue.Field[*pyvalue.Dict](parameters, "properties")
	if !ok {
		return nil, fmt.Errorf("function %s: its parameters have no properties", name)
	}
	if err := convertProperties(properties); err != nil {
		return nil, fmt.Errorf("function %s: %w", name, err)
	}
	tool := pyvalue.NewDict()
	tool.Set("type", "function")
	tool.Set("function", of)
	return tool, nil
}

// convertProperties converts properties to JSON Schema.
func convertProperties(properties *pyvalue.Dict) error {
	for _, name := range properties.Keys() {
		p, ok := pyvalue.Field[*pyvalue.Dict](properties, name)
		if !ok {
			return fmt.Errorf("parameter %s is no object", name)
		}
		if err := convertProperty(p); err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

func convertProperty(p *pyvalue.Dict) error {
	of, ok := pyvalue.Field[string](p, "type")
	if !ok {
		of = "string"
	}
	if of == "float" {
		description, ok := pyvalue.Field[string](p, "description")
		if !ok {
			return errors.New("it is a float without a description")
		}
		p.Set("format", "float")
		p.Set("description", description+" This is a float type value.")
	}
	of = schemaType(of)
	p.Set("type", of)
	if of != "array" && of != "object" {
		return nil
	}
	if inner, ok := pyvalue.Field[*pyvalue.Dict](p, "properties"); ok {
		return convertProperties(inner)
	}
	items, ok := pyvalue.Field[*pyvalue.Dict](p, "items")
	if !ok {
		return nil
	}
	of, err := convertItems(items)
	if err != nil {
		return err
	}
	if inner, ok := pyvalue.Field[*pyvalue.Dict](items, "items"); ok && of == "array" {
		_, err := convertItems(inner)
		return err
	}
	if inner, ok := pyvalue.Field[*pyvalue.Dict](items, "properties"); ok && of == "object" {
		return convertProperties(inner)
	}
	return nil
}

func schemaType(name string) string {
	if of, ok := schemaTypes[name]; ok {
		return of
	}
	return "string"
}

// convertItems converts the type of a list's items. An unknown type is an error.
func convertItems(items *pyvalue.Dict) (string, error) {
	name, _ := pyvalue.Field[string](items, "type")
	of, ok := schemaTypes[name]
	if !ok {
		return "", fmt.Errorf("the items of its list have the type %q, which nobody knows", name)
	}
	items.Set("type", of)
	return of, nil
}

// deepCopy returns a deep copy of lists and objects.
func deepCopy(v any) any {
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = deepCopy(list[i])
		}
		return list
	case *pyvalue.Dict:
		d := pyvalue.NewDict()
		for _, key := range v.Keys() {
			inner, _ := v.Get(key)
			d.Set(key, deepCopy(inner))
		}
		return d
	}
	return v
}
