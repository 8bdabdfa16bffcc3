package mllog

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Summary is the content of the summary log. In a log without a performance result (AccuracyOnly), Result is empty and
// the log contains only the counts of warnings and errors.
type Summary struct {
	SUTName, Scenario, Mode string
	// Headline contains the metric and, in token runs, a second one.
	Headline []Field
	// Result is VALID or INVALID.
	Result string
	// Conditions contains the conditions of a VALID run. The values are "Yes" or "NO".
	Conditions []Field
	// Recommendations contains advice on an INVALID run. Each has one or more lines and no bullet.
	Recommendations []string
	// EarlyStopping contains the early-stopping texts by title ("Early Stopping Result"). Offline has none.
	EarlyStopping []Field
	// Stats contains the blocks of additional statistics. Blank lines separate the blocks.
	Stats [][]Field
	// Parameters contains the test parameters.
	Parameters []Field
	// Notes is the text after the parameters. It is empty, or begins with "WARNING: " and ends with a newline.
	Notes string

	Warnings, Errors uint64
}

// Field is a label and its value as text. In Stats, a field with an empty Value and no colon is a heading.
type Field struct{ Label, Value string }

const (
	banner      = "================================================\n"
	headResult  = "MLPerf Results Summary"
	headStats   = "Additional Stats"
	headParams  = "Test Parameters Used"
	noWarnings  = "No warnings encountered during test."
	noErrors    = "No errors encountered during test."
	recommended = "Recommendations:"
)

// WriteSummary writes s in the official layout.
func WriteSummary(w io.Writer, s *Summary) error {
	b := bufio.NewWriter(w)
	if s.Result != "" {
		writeResult(b, s)
		fmt.Fprintf(b, "\n%s%s\n%s", banner, headStats, banner)
		writeStats(b, s.Stats)
		fmt.Fprintf(b, "\n%s%s\n%s", banner, headParams, banner)
		for _, f := range s.Parameters {
			fmt.Fprintf(b, "%s%s\n", parameterLabel(f.Label), f.Value)
		}
		fmt.Fprint(b, s.Notes)
	}
	writeFooter(b, s)
	return b.Flush()
}

func writeResult(b *bufio.Writer, s *Summary) {
	fmt.Fprintf(b, "%s%s\n%s", banner, headResult, banner)
	fmt.Fprintf(b, "SUT name : %s\nScenario : %s\nMode     : %s\n", s.SUTName, s.Scenario, s.Mode)
	for _, f := range s.Headline {
		fmt.Fprintf(b, "%s%s\n", headlineLabel(f.Label), f.Value)
	}
	fmt.Fprintf(b, "Result is : %s\n", s.Result)
	for _, f := range s.Conditions {
		fmt.Fprintf(b, "  %s%s\n", conditionLabel(f.Label), f.Value)
	}
	if s.Result != "VALID" {
		fmt.Fprintln(b, recommended)
		for _, text := range s.Recommendations {
			fmt.Fprintf(b, " * %s\n", strings.ReplaceAll(text, "\n", "\n   "))
		}
	}
	for _, f := range s.EarlyStopping {
		fmt.Fprintf(b, "%s:\n%s\n", f.Label, f.Value)
	}
}

func writeStats(b *bufio.Writer, blocks [][]Field) {
	for i, block := range blocks {
		if i > 0 {
			fmt.Fprintln(b)
		}
		for _, f := range block {
			fmt.Fprintf(b, "%s%s\n", statLabel(f), f.Value)
		}
	}
}

func writeFooter(b *bufio.Writer, s *Summary) {
	fmt.Fprintf(b, "\n%s\n", countLine(s.Warnings, noWarnings, "warning", "warnings"))
	fmt.Fprintf(b, "\n%s\n", countLine(s.Errors, noErrors, "ERROR", "ERRORS"))
}

func countLine(n uint64, none, one, many string) string {
	switch n {
	case 0:
		return none
	case 1:
		return "1 " + one + " encountered. See detailed log."
	}
	return fmt.Sprintf("%d %s encountered. See detailed log.", n, many)
}

// The official layout has different spacing for each kind of label: it pads statistics and omits the space before some
// colons.

func statLabel(f Field) string {
	switch {
	case f.Value == "":
		return f.Label + ":  "
	case strings.HasPrefix(f.Label, "Scheduled"):
		return f.Label + " : "
	case strings.Contains(f.Label, "Time per Output Token"):
		return padLabel(f.Label, 46)
	case strings.Contains(f.Label, "time to output token"):
		return padLabel(f.Label, 45)
	case strings.Contains(f.Label, "irst"), strings.Contains(f.Label, "tokens"):
		return padLabel(f.Label, 44)
	}
	return padLabel(f.Label, 32)
}

func padLabel(label string, width int) string { return fmt.Sprintf("%-*s: ", width, label) }

func headlineLabel(label string) string {
	switch {
	case strings.Contains(label, "latency"):
		return label + " : "
	case label == "Completed samples per second":
		return padLabel(label, 32)
	}
	return label + ": "
}

func conditionLabel(label string) string {
	if strings.HasPrefix(label, "Early stopping") {
		return label + ": "
	}
	return label + " : "
}

func parameterLabel(label string) string {
	if strings.HasSuffix(label, ")") {
		return label + ": "
	}
	return label + " : "
}
