package audits

import (
	"crypto/md5"
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
)

// nolint:gosec // not used for security: it identifies lines, like in the official script

// compareWholeLines returns the output of verify_accuracy.py --unixmode after its first line. The script compares whole
// lines except seq_id and commas.
func compareWholeLines(r Request) string {
	out := &strings.Builder{}
	if err := compareLines(out, r); err != nil {
		out.WriteString(evidence.Traceback(err))
	}
	return out.String()
}

// lineSums contains the lines of an accuracy log by sample.
type lineSums map[string]lineSum

type lineSum struct {
	sum        [md5.Size]byte
	isRepeated bool
}

func compareLines(out *strings.Builder, r Request) error {
	audited := 0
	if err := evidence.EachFileLine(r.Run.Accuracy, func(int, string) error { audited++; return nil }); err != nil {
		return err
	}
	lines, sums, err := readLineSums(r.Reference.Accuracy)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Each dot represents 1% completion:")
	c := lineComparison{out: out, sums: sums, lines: audited}
	if err := evidence.EachFileLine(r.Run.Accuracy, c.compareLine); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nnum_acc_log_entries = %d\nnum_perf_log_data_mismatch = %d\nnum_perf_log_entries = %d\n%s",
		lines-2, c.mismatched, audited-2, evidence.VerdictWord(c.mismatched == 0 && c.matched > 0))
	return nil
}

// readLineSums reads the accuracy log. The sample of a line is the text between `"qsl_idx" : ` and the comma.
func readLineSums(path string) (lines int, sums lineSums, err error) {
	sums = lineSums{}
	err = evidence.EachFileLine(path, func(_ int, line string) error {
		lines++
		sum, seen := sumOf(strings.TrimSpace(line)), map[string]bool{}
		for _, part := range strings.Split(line, `"qsl_idx" : `)[1:] {
			sample, _, closed := strings.Cut(part, ",")
			if !closed || seen[sample] {
				continue
			}
			seen[sample] = true
			_, again := sums[sample]
			sums[sample] = lineSum{sum, again}
		}
		return nil
	})
	return lines, sums, err
}

var (
	sequence   = regexp.MustCompile(`"seq_id"\s*:\s*\S+`)
	lineFields = regexp.MustCompile(`: |,`)
)

func sumOf(line string) [md5.Size]byte {
	plain := strings.ReplaceAll(line, ",", "")
	return md5.Sum([]byte(sequence.ReplaceAllString(plain, ""))) //nolint:gosec // see above
}

type lineComparison struct {
	out                 *strings.Builder
	sums                lineSums
	lines               int // number of lines in the audit's log
	matched, mismatched int
}

func (c *lineComparison) compareLine(i int, line string) error {
	if c.lines < 100 {
		return evidence.ErrDiedf("ZeroDivisionError: integer modulo by zero")
	}
	if i%(c.lines/100) == 0 {
		c.out.WriteString(".")
	}
	if i == 0 || i == c.lines-1 {
		return nil
	}
	line = strings.TrimSpace(line)
	parts := lineFields.Split(line, 5)
	if len(parts) < 4 {
		return evidence.ErrDiedf("IndexError: list index out of range")
	}
	sample := strings.TrimSpace(parts[3])
	reference, found := c.sums[sample]
	switch {
	case !found && sumOf("") == sumOf(line), found && !reference.isRepeated && reference.sum == sumOf(line):
		c.matched++
	default:
		c.mismatched++
	}
	return nil
}
