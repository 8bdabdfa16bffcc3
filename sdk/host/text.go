package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/sdk"
)

// texts collects what the user named that no message can carry: strings of protobuf are UTF-8.
type texts struct{ faults []error }

// add checks one text, which what names.
func (t *texts) add(what, text string) {
	if !utf8.ValidString(text) {
		t.faults = append(t.faults, fmt.Errorf("%s %q is not UTF-8, which alone a plugin can be told: choose another name",
			what, text))
	}
}

// addMap checks names and values.
func (t *texts) addMap(what string, m map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		t.add("the name of "+what, name)
		t.add(fmt.Sprintf("%s %q:", what, name), m[name])
	}
}

// fault is all that was found, as the user's fault.
func (t *texts) fault() error { return sdk.Usage(errors.Join(t.faults...)) }

func checkOptions(o sdk.Options) error {
	var t texts
	t.add("model", o.Model)
	t.add("model file", o.ModelFile)
	t.add("precision", o.Precision)
	t.add("data set", o.Dataset)
	t.add("backend", o.Backend)
	t.addMap("backend option", o.BackendOptions)
	t.addMap("parameter", o.Params)
	t.addMap("model file of part", o.PartFiles)
	for _, d := range o.Devices {
		t.add("device", d)
	}
	return t.fault()
}

func checkScoreOptions(o sdk.ScoreOptions) error {
	var t texts
	t.addMap("scorer's model", o.PartFiles)
	t.add("model", o.Model)
	t.add("data set", o.Dataset)
	t.add("memory", o.Memory)
	t.addMap("parameter", o.Params)
	return t.fault()
}
