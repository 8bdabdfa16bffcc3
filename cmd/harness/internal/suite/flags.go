package suite

import (
	"slices"
	"strings"
)

// flagList contains flags of harness run in the order of the file.
type flagList []Flag

// readFlags reads flags from a mapping. A scalar is a value, a list contains several values, and a mapping KEY: VALUE
// means KEY=VALUE, as for --set and --param. FLAG.KEY: VALUE means FLAG: {KEY: VALUE}.
func (f *flagList) readFlags(pairs []nodePair) (faults []error) {
	for _, p := range pairs {
		name, key, dotted := strings.Cut(p.key, ".")
		value := p.value
		if dotted {
			value = yamlNode{line: value.line, column: value.column, mapping: true, pairs: []nodePair{{key, value}}}
		}
		switch {
		case name == "" || dotted && key == "":
			faults = append(faults, value.nodeError("%q: want the name of a flag, or FLAG.KEY", p.key))
		case value.scalar:
			*f = append(*f, Flag{name, value.text})
		case value.mapping:
			faults = append(faults, f.readPairs(name, value)...)
		default:
			faults = append(faults, f.readList(name, value)...)
		}
	}
	return faults
}

func (f *flagList) readPairs(name string, n yamlNode) (faults []error) {
	for _, p := range n.pairs {
		if !p.value.scalar {
			faults = append(faults, p.value.nodeError("%s: %s: %s: want one value", name, p.key, p.value.kindText()))
			continue
		}
		*f = append(*f, Flag{name, p.key + "=" + p.value.text})
	}
	return faults
}

func (f *flagList) readList(name string, n yamlNode) (faults []error) {
	for _, item := range n.items {
		switch {
		case item.scalar:
			*f = append(*f, Flag{name, item.text})
		case item.mapping:
			faults = append(faults, f.readPairs(name, item)...)
		default:
			faults = append(faults, item.nodeError("%s: a list in a list: want values", name))
		}
	}
	return faults
}

// OverrideFlags returns the flags of above and those of below that above does not replace. A flag replaces those of the
// same name; with KEY=VALUE it replaces those of the same name and key.
func OverrideFlags(above, below []Flag) []Flag { return flagList(above).override(below) }

// override implements Over.
func (f flagList) override(below flagList) flagList {
	replaced := func(b Flag) bool {
		return slices.ContainsFunc(f, func(a Flag) bool {
			keyA, _, pairA := strings.Cut(a.Value, "=")
			keyB, _, pairB := strings.Cut(b.Value, "=")
			return a.Name == b.Name && (!pairA || !pairB || keyA == keyB)
		})
	}
	return append(slices.DeleteFunc(slices.Clone(below), replaced), f...)
}

// namesOutside returns the names of the flags that are not in others.
func (f flagList) namesOutside(others ...flagList) (all []string) {
	for _, one := range f {
		if !slices.Contains(all, one.Name) && !slices.ContainsFunc(slices.Concat(others...), func(o Flag) bool {
			return o.Name == one.Name
		}) {
			all = append(all, one.Name)
		}
	}
	return all
}

// pointLabel returns the name of a point of a matrix: "batch=4", "target_qps=5".
func (f flagList) pointLabel() string {
	var parts []string
	for _, one := range f {
		if strings.Contains(one.Value, "=") {
			parts = append(parts, one.Value)
			continue
		}
		parts = append(parts, one.Name+"="+one.Value)
	}
	return strings.Join(parts, ",")
}
