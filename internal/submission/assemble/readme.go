package assemble

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// resultReadme returns a README with the commands, versions and checksums of a result.
func (p *Plan) resultReadme(r *placedResult) []byte {
	var text bytes.Buffer
	run := r.performance.run
	fmt.Fprintf(&text, "# %s, %s, %s\n\n", r.place.Benchmark, r.place.Scenario, r.place.System)
	if r.reason != "" {
		fmt.Fprintf(&text, "A copy of the result of %s/%s: %s.\n\n", r.original.Benchmark, r.original.Scenario, r.reason)
	}
	for _, mark := range r.allMarks() {
		fmt.Fprintf(&text, "**Not to be submitted: %s.**\n\n", mark)
	}
	fmt.Fprintf(&text, "Rules %s. Performance: %s. Accuracy: %s.\n\n", run.Rules, runHeadline(run),
		accuracyLine(r.accuracy.run))
	text.WriteString("## Commands\n\n")
	var commands []string
	for _, m := range r.allRuns() {
		if line := commandText(m.run.Command); !slices.Contains(commands, line) {
			commands = append(commands, line)
			fmt.Fprintf(&text, "    %s\n", line)
		}
	}
	text.WriteString("\n## What ran\n\n")
	writeFacts(&text, run)
	if len(run.Deviations) > 0 {
		fmt.Fprintf(&text, "\n## Settings that are not the rules'\n\n- %s\n", strings.Join(run.Deviations, "\n- "))
	}
	text.WriteString("\n## Files as the runs wrote them\n\n")
	for _, m := range r.allRuns() {
		writeChecksums(&text, m.run)
	}
	return text.Bytes()
}

// allRuns returns the runs of a result: performance, accuracy, audits.
func (r *placedResult) allRuns() []measuredRun {
	runs := []measuredRun{*r.performance, *r.accuracy}
	for _, test := range slices.Sorted(maps.Keys(r.audits)) {
		runs = append(runs, r.audits[test]...)
	}
	return runs
}

func runHeadline(run *record.Run) string {
	p := run.Performance
	if p == nil {
		return run.Verdict
	}
	return fmt.Sprintf("%s, %s %s (%s)", run.Verdict, p.Metric.Rounded, p.Metric.Unit, p.Metric.Name)
}

func accuracyLine(run *record.Run) string {
	if run.Accuracy == nil {
		return run.Verdict
	}
	var metrics []string
	for _, m := range run.Accuracy.Metrics {
		metrics = append(metrics, strings.TrimSpace(m.Name+" "+m.Rounded+" "+m.Unit))
	}
	return strings.Join(metrics, ", ")
}

// commandText returns a command line that a shell can run, with program paths shortened to names.
func commandText(words []string) string {
	quoted := slices.Clone(words)
	for i, w := range quoted {
		if i == 0 {
			w = filepath.Base(w)
		}
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`*?[]{}()<>|&;#!~") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// writeFacts writes the program, plugin, backend, model, data and machine of a run.
func writeFacts(w io.Writer, run *record.Run) {
	row := func(what, value string) {
		if value = strings.TrimSpace(value); value != "" {
			fmt.Fprintf(w, "| %s | %s |\n", what, strings.ReplaceAll(value, "|", `\|`))
		}
	}
	fmt.Fprintf(w, "| | |\n|---|---|\n")
	row("harness", harnessText(run))
	row("LoadGen", loadGenText(run))
	row("plugin", fmt.Sprintf("%s %s, sha256 %s", run.Plugin.Name, run.Plugin.Version, run.Plugin.SHA256))
	if o := run.Workload; o != nil {
		row("backend", o.Backend+" "+o.BackendInfo["version"])
		row("model", fmt.Sprintf("%s, %s, %d bytes, sha256 %s", modelName(o), o.Precision, o.ModelSize, o.ModelSHA256))
		row("data set", fmt.Sprintf("%s, %d samples", filepath.Base(o.Dataset), o.DatasetSize))
		if o.DatasetSHA256 != "" {
			row("data set's sha256", o.DatasetSHA256+" over "+o.DatasetNote)
		}
		row("batch, sessions", fmt.Sprintf("%d, %d", o.Batch, o.Sessions))
	}
	row("machine", fmt.Sprintf("%s, %d cores, %s, %s", run.System.CPU, run.System.Cores, run.System.OS, run.System.Kernel))
}

func writeChecksums(w io.Writer, run *record.Run) {
	for _, f := range run.Files {
		if f.Size > 0 && path.Base(f.Path) != tree.TraceLog {
			fmt.Fprintf(w, "    %s  %s\n", f.SHA256, f.Path)
		}
	}
}
