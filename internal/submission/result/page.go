package result

import (
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/table"
)

//go:embed page.html
var pageFile embed.FS

var page = template.Must(template.ParseFS(pageFile, "page.html"))

// WriteHTML writes the summary as a self-contained page with sortable columns. Tooltips show power and accuracy before
// rounding.
func (s Summary) WriteHTML(w io.Writer) error { return page.Execute(w, s) }

// WriteJSON writes the summary as JSON.
func (s Summary) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s)
}

// WriteTable writes the summary as a text table.
func (s Summary) WriteTable(w io.Writer) error {
	t := table.Table{}
	t.Head("SYSTEM", "BENCHMARK", "SCENARIO", "RESULT", "UNROUNDED", "UNIT", "POWER", "ACCURACY")
	for _, r := range s.Results {
		power := "-"
		if r.Power != nil {
			power = r.Power.Shown() + " " + r.Power.Unit
		}
		scenario := r.Scenario
		if note := r.Note(); note != "" {
			scenario += " (" + note + ")"
		}
		system := strings.Join([]string{r.Division, r.Submitter, r.System}, "/")
		t.Row(system, r.Benchmark, scenario, r.Result.Shown(), r.Result.Text, r.Result.Unit, power, r.AccuracyText())
	}
	_, err := t.WriteTo(w)
	return err
}
