// Package shown prints the output of harness bench and harness probe: tables, texts, loads.
package shown

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// WriteSweep prints a sweep for people.
func WriteSweep(w io.Writer, f *sweepfile.Sweep, dir string, api prompts.API) error {
	out := terminal.WriterTo(w)
	out.Print(terminal.Span{Style: terminal.Heading, Text: headText(f, api)}, "\n")
	if len(f.Points) > 0 {
		if _, err := PointTable(f).WriteTo(w); err != nil {
			return err
		}
	}
	for _, line := range EndLines(f) {
		for _, broken := range terminal.Wrap(line, out.Columns()) {
			out.Print(broken, "\n")
		}
	}
	_, err := fmt.Fprintln(w, filepath.Join(dir, page.FileName))
	return err
}

// headText describes the measurement: "mock at http://127.0.0.1:8000/v1 (vllm 0.33), chat, 1024 in, 128 out, seed 1".
func headText(f *sweepfile.Sweep, api prompts.API) string {
	parts := []string{ServerText(openai.ServerInfo{
		URLs: f.Server.URLs, Kind: f.Server.Kind, Version: f.Server.Version, Model: f.Server.Model,
	}), string(api)}
	for _, p := range []struct{ text, end string }{
		{f.Asked.Data, ""}, {f.Asked.ISL, " in"}, {f.Asked.OSL, " out"},
	} {
		if p.text != "" {
			parts = append(parts, p.text+p.end)
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", f.Asked.Seed)), ", ")
}

// EndLines returns the lines below the table of points: results of a search, remarks on closed loops, notes.
func EndLines(f *sweepfile.Sweep) (all []string) {
	once := map[string]bool{}
	add := func(text string) {
		if text != "" && !once[text] {
			once[text] = true
			all = append(all, text)
		}
	}
	add(f.Conclusion())
	if f.ColdStart != nil {
		add("cold start: " + f.ColdStart.String())
	}
	var closed *record.Serving
	for i := range f.Points {
		if s := f.Points[i].Serving; s.Sentence != "" {
			closed = s
		} else if s.Label != "" {
			add(s.Label)
		}
	}
	if closed != nil {
		add(closed.About())
	}
	kinds := map[string]bool{}
	for _, r := range f.Points {
		for _, n := range r.Notes {
			if kind := withoutDigits(n.Text); n.About == "data" && !kinds[kind] { // notes of points differ only in numbers
				kinds[kind] = true
				add(n.Text)
			}
		}
	}
	for _, text := range pointNotes(f.Points) {
		add(text)
	}
	return all
}

// numberPattern matches the numbers in texts, with size-dependent units and lists of percentiles.
var numberPattern = regexp.MustCompile(`[+-]?[0-9][0-9.]*(e[+-]?[0-9]+)?( ?(ns|us|ms|s|m)\b)?(, p[0-9.]+)*`)

func withoutNumbers(text string) string {
	return numberPattern.ReplaceAllString(strings.ReplaceAll(text, " once", " 1 times"), "")
}

func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// pointNotes returns the notes on points. Notes that differ only in numbers appear once, for the first point, with the
// number of other points.
func pointNotes(points []record.Run) (all []string) {
	type matter struct {
		text  string
		times int
	}
	var matters []matter
	at := map[string]int{}
	for _, r := range points {
		seen := map[string]bool{}
		take := func(about, text string) {
			about += " " + withoutNumbers(text)
			i, there := at[about]
			switch {
			case seen[about]:
			case there:
				matters[i].times++
			default:
				at[about] = len(matters)
				matters = append(matters, matter{fmt.Sprintf("%v: %s", r.Serving.Load, text), 1})
			}
			seen[about] = true
		}
		for _, n := range r.Notes {
			if n.About != "data" {
				take(n.About, n.Text)
			}
		}
		if len(r.Serving.Faults) > 0 {
			take("faults", strings.ReplaceAll(sweep.FaultText(r.Serving), "\n", "; "))
		}
	}
	for _, m := range matters {
		if m.times > 1 {
			m.text += " (and so at " + figure.Plural(m.times-1, "other point") + ")"
		}
		all = append(all, m.text)
	}
	return all
}

// ServerText describes the server: "mock at http://127.0.0.1:8000/v1 (vllm 0.33, counts by ids)".
func ServerText(about openai.ServerInfo) string {
	what := strings.TrimSpace(about.Kind + " " + about.Version)
	return fmt.Sprintf("%s at %s (%s)", about.Model, strings.Join(about.URLs, ", "), what)
}
