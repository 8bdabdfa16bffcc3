package settings

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Row is one setting for people: its value in the unit of configuration files, and where it came from.
type Row struct {
	Key, Value, Unit, Origin, Doc string
}

// Rows lists every setting that means something in the run's scenario, in the order of loadgen.TestSettings.
func (s Settings) Rows() []Row {
	var rows []Row
	for _, f := range mlconf.Fields() {
		if !f.Applies(s.Scenario) {
			continue
		}
		row := Row{Key: name(f), Value: f.Text(s.TestSettings), Unit: f.Unit, Origin: origin(s.Origins[f.Name]), Doc: f.Doc}
		if f.Name == "Mode" { // the run's own, whatever files say
			row.Value, row.Origin = s.Mode.String(), "this run"
		}
		rows = append(rows, row)
	}
	return rows
}

// name is the key under which a user sets the field: in user.conf, or with --set where no file can.
func name(f mlconf.Field) string {
	if f.Key != "" {
		return f.Key
	}
	return f.Official
}

// origin words where a value came from: "user.conf:3 (resnet50.Server.target_qps)". The key is left out where it is the
// row's own.
func origin(o mlconf.Origin) string {
	text := o.Source
	if o.Line > 0 {
		text = fmt.Sprintf("%s:%d", text, o.Line)
	}
	if strings.Contains(o.Key, ".") {
		text += " (" + o.Key + ")"
	}
	return text
}
