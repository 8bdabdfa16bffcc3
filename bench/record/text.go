package record

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// WriteHeader writes the components of the runs, from the record of the first run whose workload is open.
func WriteHeader(w io.Writer, r Run, out string) error {
	t := table.Table{Indent: "  "}
	if r.Workload != nil {
		t.Row("model", r.modelText(), shortChecksum(r.Workload.ModelSHA256))
		for _, p := range r.Workload.Parts {
			t.Row("  part", p.partText(), shortChecksum(p.SHA256))
		}
		t.Row("data", fmt.Sprintf("%s, %s samples", r.Workload.Dataset, countText(r.Workload.DatasetSize)),
			shortChecksum(r.Workload.DatasetSHA256))
		t.Row("backend", r.Workload.backendText())
	}
	if len(r.Options.Devices) > 0 {
		t.Row("devices", strings.Join(r.Options.Devices, ", "))
	}
	t.Row("plugin", strings.TrimSpace(r.Plugin.Name+" "+r.Plugin.Version), shortChecksum(r.Plugin.SHA256))
	if l := r.LoadGen; l != nil {
		t.Row("loadgen", fmt.Sprintf("%s %s, source unmodified: %s", l.Name, l.Version, l.unmodifiedText()),
			shortChecksum(l.SHA256))
	}
	t.Row("machine", r.machineText())
	if len(r.Stated.System) > 0 {
		t.Row("system", r.Stated.System.String())
	}
	if r.Identity.Label != "" {
		t.Row("label", r.Identity.Label)
	}
	if r.Stated.Note != "" {
		t.Row("note", r.Stated.Note)
	}
	t.Row("settings", r.settingsText())
	if r.TuningNote != "" {
		t.Row("tuning", r.TuningNote)
	}
	r.divisionRows(&t)
	t.Row("output", out)
	b := terminal.WriterTo(w)
	b.Print(terminal.Span{Style: terminal.Heading, Text: r.Model}, "\n\n")
	_, _ = t.WriteTo(b)
	b.Print("\n")
	return b.Err()
}

// shortChecksum shortens a checksum to a length that distinguishes files by eye.
func shortChecksum(sum string) string {
	if len(sum) < 12 {
		return ""
	}
	return "sha256 " + sum[:12]
}

func countText(n int) string { return figure.Count(uint64(max(0, n))) }

// modelText describes the model. For a server's model, it names the file with whose accuracy it is compared.
func (r Run) modelText() string {
	file := r.Workload.fileText()
	if r.Stated.Precision != "" {
		file += ", " + r.Stated.Precision + " (as stated)"
	}
	if r.Network == nil {
		return file
	}
	return fmt.Sprintf("%s at the server, in place of %s", cmp.Or(r.Workload.BackendInfo["model"], "one"), file)
}

func (w Workload) fileText() string {
	parts := []string{w.ModelFile}
	switch {
	case w.Embedded:
		parts = []string{"embedded"}
	case len(w.Parts) > 0:
		parts = []string{figure.Plural(len(w.Parts), "part")}
	}
	if w.Precision != "" {
		parts = append(parts, w.Precision)
	}
	if w.ModelSize > 0 {
		parts = append(parts, figure.Bytes(w.ModelSize))
	}
	return strings.Join(parts, ", ")
}

func (w Workload) backendText() string {
	parts := []string{w.Backend}
	if v := w.BackendInfo["version"]; v != "" {
		parts = append(parts, v)
	}
	return strings.Join(parts, ", ")
}

func (r Run) machineText() string {
	var parts []string
	for _, p := range []string{r.System.CPU, figure.Plural(r.System.Cores, "core")} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if r.System.MemoryBytes > 0 {
		parts = append(parts, figure.Bytes(r.System.MemoryBytes))
	}
	return strings.Join(parts, ", ")
}

func (r Run) settingsText() string {
	switch r.Profile {
	case "smoke":
		return fmt.Sprintf("smoke: seconds, not the minutes of rules %s (--official)", r.Rules)
	case "audit":
		return fmt.Sprintf("audit: rules %s with %s", r.Rules, r.Audit)
	case "custom":
		return fmt.Sprintf("custom: not all of rules %s", r.Rules)
	}
	return "official: rules " + r.Rules
}

// Kind returns the kind of the run: its mode, or its compliance test.
func (r Run) Kind() string {
	switch {
	case r.Test == "":
		return r.Mode
	case r.Mode == modeAccuracy:
		return r.Test + " " + r.Mode
	}
	return r.Test
}

// verdictWidth aligns the rows of runs, which are written one at a time as the runs end.
const verdictWidth = 16

// WriteRow writes the result of a run: one line, followed by explanations of the verdict.
func WriteRow(w io.Writer, r Run) error {
	b := terminal.WriterTo(w)
	value, remarks := r.headlineText()
	rest := fmt.Sprintf("%*s  %-20s  %s", max(0, verdictWidth-len(r.Verdict)), "", value, strings.Join(remarks, ", "))
	b.Print(fmt.Sprintf("%-12s  %-11s  ", r.Scenario, r.Kind()), terminal.StyleVerdict(r.Verdict),
		strings.TrimRight(rest, " "), "\n")
	switch r.Status {
	case Complete: // otherwise the error describes the reason
		r.writeReasons(b)
		r.writeRemarks(b)
	case Interrupted:
		r.writeJudged(b)
	}
	return b.Err()
}

// String returns the result of the run in one line: "resnet50 Offline performance: VALID, 812.34 samples/s".
func (r Run) String() string {
	text := r.Name() + ": " + r.Verdict
	if value, _ := r.headlineText(); value != "" {
		text += ", " + value
	}
	return text
}

// headlineText returns the run's number with its unit, and remarks.
func (r Run) headlineText() (value string, remarks []string) {
	switch {
	case r.Accuracy != nil && len(r.Accuracy.Metrics) > 0:
		m := r.Accuracy.Metrics[0]
		return strings.TrimSpace(m.Rounded + " " + m.Unit), append([]string{m.Name}, r.Accuracy.samplesText()...)
	case r.Accuracy != nil:
		return "", r.Accuracy.samplesText()
	case r.Serving != nil:
		return r.Serving.headlineText(r)
	case r.isUnmeasured():
		return "", nil
	case r.Performance.Peak != nil:
		return r.Performance.Peak.headlineText()
	case r.Performance.Streams != nil:
		return r.Performance.Streams.headlineText()
	}
	p := r.Performance
	name := p.Metric.Name
	if _, ok := p.estimateInfo(r.Scenario); ok { // the next line describes it
		name = metric.Estimate
	}
	return p.Metric.String(), []string{name, strings.TrimSpace(r.volumeText() + " in " + r.Took)}
}

// samplesText returns the number of scored samples if it is known; an accuracy.txt need not contain it.
func (a *Accuracy) samplesText() []string {
	if a.Samples == 0 {
		return nil
	}
	return []string{countText(a.Samples) + " samples"}
}

// Headline returns the run's main number, accuracy or performance. ok is false if there is none.
func (r Run) Headline() (f Figure, ok bool) {
	switch {
	case r.Accuracy != nil && len(r.Accuracy.Metrics) > 0:
		m := r.Accuracy.Metrics[0]
		return Figure{Name: m.Name, Unit: m.Unit, Value: m.Value, Rounded: m.Rounded}, true
	case r.Serving != nil:
		return r.Serving.headlineResult(r)
	case r.Accuracy == nil && !r.isUnmeasured():
		return r.Performance.headlineResult(r).Figure, true
	}
	return Figure{}, false
}

// String returns the rounded number with its unit.
func (f Figure) String() string { return strings.TrimSpace(f.Rounded + " " + f.Unit) }

func (r Run) writeReasons(b *terminal.Writer) {
	t := table.Table{Indent: "    "}
	for _, reason := range r.Reasons {
		t.Row(reason.Rule, reason.Measured)
		t.Row("", "needed: "+reason.Needed)
		if reason.Hint != "" { // LoadGen's logs contain advice on some reasons only
			t.Row("", reason.Hint)
		}
	}
	_, _ = t.WriteTo(b) // WriteRow returns the error
}

// writeRemarks writes the notes to show with the verdict.
func (r Run) writeRemarks(b *terminal.Writer) {
	if r.Accuracy != nil {
		r.writeAccuracy(b)
	}
	if r.Serving != nil {
		for _, text := range r.Serving.noteLines() {
			b.Print("    ", terminal.Line(text), "\n")
		}
	}
	if r.Performance != nil {
		r.writeJudged(b)
		r.writePower(b)
	}
	if r.Workload != nil {
		r.Workload.writeShares(b)
	}
	for _, d := range r.Deviations {
		if r.Profile == "custom" {
			fmt.Fprintf(b, "    not as the rules: %s\n", d)
		}
	}
	r.writeDivision(b)
	for _, e := range r.Estimates {
		fmt.Fprintf(b, "    an estimate, so the run is a rehearsal: %s\n", e)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "    note: %s\n", n.Text)
	}
	for _, m := range r.Messages {
		switch {
		case m.Warning:
			fmt.Fprintf(b, "    warning: %s\n", m.Text)
		case len(r.Reasons) == 0: // the reasons describe it with numbers
			fmt.Fprintf(b, "    error: %s\n", m.Text)
		}
	}
}

// writeAccuracy explains an accuracy whose first metric is in the run's row.
func (r Run) writeAccuracy(b *terminal.Writer) {
	for i, m := range r.Accuracy.Metrics {
		if i > 0 {
			fmt.Fprintf(b, "    %s %s\n", m.Name, strings.TrimSpace(m.Rounded+" "+m.Unit))
		}
	}
	WriteVerdict(b, r.Accuracy.Verdict, r.Accuracy.Notes)
}

// WriteVerdict compares accuracies with their targets.
func WriteVerdict(w io.Writer, v judge.Verdict, notes []string) {
	for _, m := range v.Metrics {
		if m.Text != "" {
			fmt.Fprintf(w, "    %s\n", m.Text)
		}
	}
	if v.Outcome == judge.Informational {
		fmt.Fprintf(w, "    %s\n", v.Basis)
	}
	for _, n := range notes {
		fmt.Fprintf(w, "    %s\n", n)
	}
}

// WriteFooter ends the report with the location of the files and the status of the results.
func WriteFooter(w io.Writer, out string, d Document) error {
	_, err := fmt.Fprintf(w, "\nlogs and %s in %s\n%s\n", FileName, out, d.Note)
	return err
}
