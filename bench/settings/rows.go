package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Row is a setting for display: its value in the unit of configuration files, and the value's source.
type Row struct {
	Key, Value, Unit, Origin, Doc string
}

// Rows lists all settings with a meaning in the run, in the order of loadgen.TestSettings, and settings without a
// meaning that the user set.
func (s Settings) Rows() []Row {
	var rows []Row
	for _, f := range loadgen.Fields() {
		if !f.Applies(s.Scenario) || !f.Counts(s.TestSettings) && !s.isChosen(f.Name) {
			continue
		}
		row := Row{
			Key: f.UserKey(), Value: f.Text(s.TestSettings), Unit: f.Unit, Origin: originText(s.Origins[f.Name]), Doc: f.Doc,
		}
		if f.Name == "Mode" { // set by the plan, not by files
			row.Value, row.Origin = s.Mode.String(), "this run"
		}
		rows = append(rows, row)
	}
	return rows
}

// Written reports whether user.conf, the command line or audit settings set a value.
func (s Settings) Written(field string) bool {
	return slices.ContainsFunc(s.Applied[min(userLayers, len(s.Applied)):], func(a mlconf.Applied) bool {
		return slices.Contains(a.Fields, field)
	})
}

// isChosen reports whether a value comes from neither LoadGen's defaults nor the rules.
func (s Settings) isChosen(field string) bool {
	source := s.Origins[field].Source
	return source != "LoadGen default" && !strings.HasPrefix(source, "rules ")
}

// originText describes the source of a value: "user.conf:3 (resnet50.Server.target_qps)". It omits the key if it equals
// the row's key.
func originText(o mlconf.Origin) string {
	text := o.Source
	if o.Line > 0 {
		text = fmt.Sprintf("%s:%d", text, o.Line)
	}
	if strings.Contains(o.Key, ".") {
		text += " (" + o.Key + ")"
	}
	if o.Otherwise != "" {
		text += ", as that round ran it; its text has " + o.Otherwise
	}
	return text
}
