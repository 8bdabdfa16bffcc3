package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Row is one setting for people: its value in the unit of configuration files, and where it came from.
type Row struct {
	Key, Value, Unit, Origin, Doc string
}

// Rows lists every setting that means something in the run, in the order of loadgen.TestSettings, and those that a user
// set although they mean nothing.
func (s Settings) Rows() []Row {
	var rows []Row
	for _, f := range loadgen.Fields() {
		if !f.Applies(s.Scenario) || !f.Counts(s.TestSettings) && !s.isChosen(f.Name) {
			continue
		}
		row := Row{
			Key: f.UserKey(), Value: f.Text(s.TestSettings), Unit: f.Unit, Origin: originText(s.Origins[f.Name]), Doc: f.Doc,
		}
		if f.Name == "Mode" { // the run's own, whatever files say
			row.Value, row.Origin = s.Mode.String(), "this run"
		}
		rows = append(rows, row)
	}
	return rows
}

// Written says that user.conf, the command line or audit settings have a value of a setting.
func (s Settings) Written(field string) bool {
	return slices.ContainsFunc(s.Applied[min(userLayers, len(s.Applied)):], func(a mlconf.Applied) bool {
		return slices.Contains(a.Fields, field)
	})
}

// isChosen says that a setting comes from neither LoadGen's defaults nor the rules.
func (s Settings) isChosen(field string) bool {
	source := s.Origins[field].Source
	return source != "LoadGen default" && !strings.HasPrefix(source, "rules ")
}

// originText words where a value came from: "user.conf:3 (resnet50.Server.target_qps)". The key is left out where it is
// the row's own.
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
