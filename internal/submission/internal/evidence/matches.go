package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Matches compares the answers of an audit's run with those of the accuracy run, sample by sample: each answer with the
// one before it to the same sample, the first with the accuracy run's. The audit's log is read first, so that of the
// accuracy log, which may be large, only the answers to these samples are looked at.
type Matches struct {
	dtype DType
	index map[string]*answered // by sample, of the audit's log

	Audited    int // entries of the audit's log
	Matched    int // with an answer before
	Mismatched int
	Missing    int // samples without an entry in the accuracy log

	Accuracy        int // entries of the accuracy log
	Repeated        int // of samples that it had already
	RepeatedUnequal int // with another answer
}

// answered is what an audit's log has of a sample.
type answered struct {
	first, last Element
	found       bool // in the accuracy log
}

// NewMatches compares nothing yet; d is the type of the answers' elements.
func NewMatches(d DType) *Matches { return &Matches{dtype: d, index: map[string]*answered{}} }

// Audit adds an answer of the audit's log.
func (m *Matches) Audit(sample string, e Element) {
	m.Audited++
	a := m.index[sample]
	if a == nil {
		m.index[sample] = &answered{first: e, last: e}
		m.Missing++
		return
	}
	m.compare(a.last, e)
	a.last = e
}

// Wants says whether the accuracy log's answer to a sample is to be compared.
func (m *Matches) Wants(sample string) bool {
	a := m.index[sample]
	return a != nil && !a.found
}

// Reference adds the accuracy log's first answer to a sample that is wanted.
func (m *Matches) Reference(sample string, e Element) {
	a := m.index[sample]
	a.found = true
	m.Missing--
	m.compare(e, a.first)
}

func (m *Matches) compare(reference, e Element) {
	m.Matched++
	if !m.dtype.equal(reference, e) {
		m.Mismatched++
	}
}

// Samples is how many samples the audit's log answers.
func (m *Matches) Samples() int { return len(m.index) }

// Pass says whether there were answers to compare, and all of them are equal.
func (m *Matches) Pass() bool { return m.Mismatched == 0 && m.Matched > 0 }

// Text is what the official script prints of the comparison.
func (m *Matches) Text() string {
	var b strings.Builder
	for _, line := range []struct {
		name string
		n    int
	}{
		{"acc_log_entries", m.Accuracy}, {"acc_log_duplicate_keys", m.Repeated},
		{"acc_log_data_mismatch", m.RepeatedUnequal}, {"perf_log_entries", m.Audited},
		{"perf_log_qsl_idx_match", m.Matched}, {"perf_log_data_mismatch", m.Mismatched}, {"missing_qsl_idxs", m.Missing},
	} {
		fmt.Fprintf(&b, "num_%s = %d\n", line.name, line.n)
	}
	return b.String() + Word(m.Pass())
}

// Absent names some samples that the accuracy log lacks.
func (m *Matches) Absent() string {
	var names []int
	for name, a := range m.index {
		if n, err := strconv.Atoi(name); err == nil && !a.found {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(names[:min(3, len(names))]), " ", ", "), "[]")
}
