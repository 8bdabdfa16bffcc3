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

// WriteHTML writes one page that needs no other file; its columns can be sorted. With rules it shows the figures as the
// rules round them, and what they were where one points at them.
func (s Summary) WriteHTML(w io.Writer, rules bool) error {
	return page.Execute(w, struct {
		Summary
		Rules bool
	}{s, rules})
}

// WriteJSON writes the summary for programs.
func (s Summary) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s)
}

// WriteTable writes the summary for a terminal, at most width characters wide.
func (s Summary) WriteTable(w io.Writer, width int, rules bool) error {
	t := table.Table{Width: width}
	t.Row("SYSTEM", "BENCHMARK", "SCENARIO", "RESULT", "UNIT", "POWER", "ACCURACY")
	for _, r := range s.Results {
		power := "-"
		if r.Power != nil {
			power = r.Power.Shown(rules) + " " + r.Power.Unit
		}
		scenario := r.Scenario
		if note := r.Note(); note != "" {
			scenario += " (" + note + ")"
		}
		system := strings.Join([]string{r.Division, r.Submitter, r.System}, "/")
		t.Row(system, r.Benchmark, scenario, r.Result.Shown(rules), r.Result.Unit, power, r.AccuracyText(rules))
	}
	_, err := t.WriteTo(w)
	return err
}
