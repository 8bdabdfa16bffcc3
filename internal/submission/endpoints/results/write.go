package results

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
)

// unknownText is the text for an unknown value.
const unknownText = "-"

// WriteTable writes a table of each curve, with notes on unknown values and failed checks.
func (r *Results) WriteTable(w io.Writer) error {
	t := table.Table{RightAligned: []int{1, 4, 5, 6, 7, 8, 9, 10, 11, 12}, KeepWhole: true}
	t.Head("POINT", "USERS", "REGION", "OFFLINE", "SYSTEM TPS", "TPS/USER", "INTERACTIVITY", "TTFT P90 MS", "TPOT P90 MS",
		"QPS", "TPS UTIL", "KW", "TPS/KW", "WINDOW", "VERDICT")
	for _, c := range r.Curves {
		t.Title(c.Title())
		for _, p := range c.Points {
			t.Row(p.Name, p.Concurrency, cmp.Or(string(p.Region), unknownText), cmp.Or(p.Offline, unknownText),
				Shown(p.SystemTPS), Shown(p.TPSPerUser), Shown(p.Interactivity), Shown(p.TTFT), Shown(p.TPOT),
				Shown(p.QPS), Shown(p.Utilization), Shown(p.KW), Shown(p.TPSPerKW), p.WindowText(), cmp.Or(p.Verdict, unknownText))
		}
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	if err := r.writeComparisons(w); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteByte('\n')
	for _, c := range r.Curves {
		for _, p := range c.Points {
			for _, note := range p.Notes {
				fmt.Fprintf(&b, "%s/%s/%s: %s\n", c.System, c.Model, p.Name, note)
			}
		}
	}
	shown := map[string]bool{}
	for _, c := range r.Curves {
		for _, f := range c.Power {
			if line := c.System + ": power: " + f.String(); !shown[line] {
				shown[line] = true
				fmt.Fprintln(&b, line)
			}
		}
	}
	fmt.Fprintln(&b, r.Checked())
	_, err := io.WriteString(w, b.String())
	return err
}

// WindowText describes the steady window and its status in words.
func (p Point) WindowText() string {
	text := cmp.Or(p.Status, "not stated")
	if p.isWholeRun && p.Status == "" {
		text = "the whole run counts"
	}
	if p.Window != nil {
		text += ", " + p.Window.String()
	}
	return text
}

// Title returns the title of a curve.
func (c Curve) Title() string {
	text := c.System + ", " + c.Model
	if c.CMax > 0 {
		text += fmt.Sprintf(", C_max %d", c.CMax)
	}
	for _, p := range c.Points {
		if p.KW != nil {
			return text
		}
	}
	return text + ", power not known"
}

// Shown returns a figure with five significant digits.
func Shown(x *float64) string {
	if x == nil {
		return unknownText
	}
	return figure.Round(*x)
}

// Checked summarizes the findings of the check.
func (r *Results) Checked() string {
	text := fmt.Sprintf("%s by %s: figures of whole runs; the check has %s and %s", figure.Plural(len(r.Curves), "curve"),
		r.Rules, figure.Plural(r.Errors, "error"), figure.Plural(r.Warnings, "warning"))
	if r.Errors+r.Warnings > 0 {
		text += ", see harness submission check"
	}
	return text
}

// WriteJSON writes the results as JSON. Unknown figures are null or missing.
func (r *Results) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		*Results
		Comparisons []Comparison `json:"comparisons,omitempty"`
	}{r, r.Compare()})
}

// WriteCSV writes one line per point. Figures are not rounded. Unknown figures are empty.
func (r *Results) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"organisation", "submission", "system", "model", "point", "concurrency", "region",
		"declared_region", "offline", "system_tps", "tps_per_user", "e2e_avg_interactivity", "ttft_p90_ms", "tpot_p90_ms",
		"qps", "tps_utilization", "point_power_kw", "system_tps_per_kw", "window_status", "window_verdict", "window_first",
		"window_last", "window_seconds", "notes"}}
	for _, c := range r.Curves {
		for _, p := range c.Points {
			line := []string{r.Organisation, r.Submission, c.System, c.Model, p.Name, strconv.Itoa(p.Concurrency),
				string(p.Region), p.Declared, p.Offline}
			for _, x := range []*float64{p.SystemTPS, p.TPSPerUser, p.Interactivity, p.TTFT, p.TPOT, p.QPS, p.Utilization,
				p.KW, p.TPSPerKW} {
				text := ""
				if x != nil {
					text = strconv.FormatFloat(*x, 'g', -1, 64)
				}
				line = append(line, text)
			}
			window := []string{"", "", ""}
			if w := p.Window; w != nil {
				window = []string{strconv.Itoa(w.First), strconv.Itoa(w.Last), strconv.FormatFloat(w.Seconds, 'g', -1, 64)}
			}
			lines = append(lines, append(append(append(line, p.Status, p.Verdict), window...), strings.Join(p.Notes, "; ")))
		}
	}
	return out.WriteAll(lines)
}
