package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/sdk"
)

// userTexts collects the user's texts that messages cannot contain, because strings of protobuf are UTF-8.
type userTexts struct{ faults []error }

// checkText checks one text. what names it in the fault.
func (t *userTexts) checkText(what, text string) {
	if !utf8.ValidString(text) {
		t.faults = append(t.faults, fmt.Errorf("%s %q is not UTF-8, which alone a plugin can be told: choose another name",
			what, text))
	}
}

// addMap checks names and values.
func (t *userTexts) addMap(what string, m map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		t.checkText("the name of "+what, name)
		t.checkText(fmt.Sprintf("%s %q:", what, name), m[name])
	}
}

// usageError returns all faults as an error of class sdk.ErrUsage.
func (t *userTexts) usageError() error { return sdk.Usage(errors.Join(t.faults...)) }

func checkOptions(o sdk.Options) error {
	var t userTexts
	t.checkText("model", o.Model)
	t.checkText("model file", o.ModelFile)
	t.checkText("precision", o.Precision)
	t.checkText("data set", o.Dataset)
	t.checkText("backend", o.Backend)
	t.addMap("backend option", o.BackendOptions)
	t.addMap("parameter", o.Params)
	t.addMap("model file of part", o.PartFiles)
	for _, d := range o.Devices {
		t.checkText("device", d)
	}
	return t.usageError()
}

func checkScoreOptions(o sdk.ScoreOptions) error {
	var t userTexts
	t.addMap("scorer's model", o.PartFiles)
	t.checkText("model", o.Model)
	t.checkText("data set", o.Dataset)
	t.checkText("memory", o.Memory)
	t.addMap("parameter", o.Params)
	return t.usageError()
}
