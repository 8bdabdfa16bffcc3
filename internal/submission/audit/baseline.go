package audit

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
)

// Baseline writes the baseline log of TEST01: the accuracy log's entries for the samples in the audit's log, in the
// order of the accuracy log, including repeated entries. Its output equals that of create_accuracy_baseline.sh. It
// streams both logs and keeps only the samples of the audit's log in memory.
func Baseline(w io.Writer, accuracyLog, auditLog string) error {
	samples, err := baselineSamples(auditLog)
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "[")
	last := ""
	err = evidence.EachFileLine(accuracyLog, func(_ int, line string) error {
		if !samples.containsLine(line) {
			return nil
		}
		if last != "" {
			fmt.Fprintln(out, last)
		}
		last = line
		return nil
	})
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	if last != "" {
		fmt.Fprintln(out, strings.TrimSuffix(last, ","))
	}
	fmt.Fprintln(out, "]")
	return out.Flush()
}

// indexName is the start of the part of a line that identifies its sample.
const indexName = ` "qsl_idx" : `

// baselineParts contains the parts of lines that identify samples.
type baselineParts struct {
	usualParts   map[string]bool // parts that begin with indexName
	usualLengths []int           // distinct lengths of the usual parts
	otherParts   map[string]bool
}

// baselineSamples extracts the parts like the script: the second and third fields between colons, after the first
// comma.
func baselineSamples(auditLog string) (baselineParts, error) {
	p := baselineParts{usualParts: map[string]bool{}, otherParts: map[string]bool{}}
	err := evidence.EachFileLine(auditLog, func(_ int, line string) error {
		part := cutFields(cutFields(line, ":", 1, 3), ",", 1, -1)
		switch {
		case !strings.Contains(part, "qsl"):
		case strings.HasPrefix(part, indexName):
			p.usualParts[part] = true
			if !slices.Contains(p.usualLengths, len(part)) {
				p.usualLengths = append(p.usualLengths, len(part))
			}
		default:
			p.otherParts[part] = true
		}
		return nil
	})
	return p, err
}

// cutFields returns the fields from first up to end (-1: the last) like cut(1). A line without a separator is returned
// whole.
func cutFields(line, separator string, first, end int) string {
	parts := strings.Split(line, separator)
	if len(parts) == 1 {
		return line
	}
	if end < 0 || end > len(parts) {
		end = len(parts)
	}
	if first >= end {
		return ""
	}
	return strings.Join(parts[first:end], separator)
}

func (p baselineParts) containsLine(line string) bool {
	for part := range p.otherParts {
		if strings.Contains(line, part) {
			return true
		}
	}
	for at := 0; ; {
		i := strings.Index(line[at:], indexName)
		if i < 0 {
			return false
		}
		at += i
		for _, n := range p.usualLengths {
			if at+n <= len(line) && p.usualParts[line[at:at+n]] {
				return true
			}
		}
		at += len(indexName)
	}
}
