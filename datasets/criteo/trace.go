package criteo

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// PairRange is the range of a sample's pairs, [Start, End).
type PairRange struct{ Start, End int }

// ReadTrace reads a trace of aggregated samples, with lines "start, end, count". Each sample must start at the end of
// the previous one. The error lists every fault and wraps ErrDataset.
func ReadTrace(r io.Reader) ([]PairRange, error) {
	var samples []PairRange
	var faults fault.FaultList
	lines := bufio.NewScanner(r)
	at := 0
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		sample, problem := parseRange(lines.Text(), at)
		if problem != "" {
			faults.Addf(fmt.Sprintf("line %d", n), "%.100q: %s", lines.Text(), problem)
		}
		at = sample.End
		samples = append(samples, sample)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: trace: %w", ErrDataset, err)
	}
	if len(samples) == 0 {
		faults.Addf("", "it lists no sample, want lines \"start, end, count\"")
	}
	return samples, faults.Err(ErrDataset, "trace")
}

// parseRange parses a line whose sample must start at pair wantStart. If there is a problem, the range contains the
// fields that could be read.
func parseRange(line string, wantStart int) (r PairRange, problem string) {
	r = PairRange{wantStart, wantStart}
	fields := strings.Split(line, ",")
	if len(fields) != 3 {
		return r, fmt.Sprintf("%d fields, want \"start, end, count\"", len(fields))
	}
	var numbers [3]int
	for i, field := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return r, fmt.Sprintf("%.20q, want a whole number", field)
		}
		numbers[i] = n
	}
	r = PairRange{numbers[0], numbers[1]}
	switch {
	case r.Start != wantStart:
		problem = fmt.Sprintf("start %d, want %d, where the sample before ends", r.Start, wantStart)
	case r.End <= r.Start || numbers[2] != r.End-r.Start:
		problem = fmt.Sprintf("end %d and count %d, want end = start + count, and at least one pair", r.End, numbers[2])
	}
	return r, problem
}

// WriteTrace writes a trace in the form that ReadTrace and the official tools read.
func WriteTrace(w io.Writer, samples []PairRange) error {
	b := bufio.NewWriter(w)
	for _, r := range samples {
		fmt.Fprintf(b, "%d, %d, %d\n", r.Start, r.End, r.End-r.Start)
	}
	return b.Flush()
}
