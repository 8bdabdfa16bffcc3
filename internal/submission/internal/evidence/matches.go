package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Matches compares the answers of an audit's run with those of the accuracy run by sample. It compares each answer with
// the previous answer to the same sample, and the first one with the accuracy run's. The audit's log must be read
// first, so only answers to its samples are read from the accuracy log, which can be large. The reader of the logs
// identifies samples by numbers or texts.
type Matches[Sample cmp.Ordered] struct {
	dtype DType
	index map[Sample]int // indices in list
	list  []auditAnswer

	Audited    int // entries of the audit's log
	Matched    int // comparisons with another answer to the sample
	Mismatched int
	Missing    int // samples without an entry in the accuracy log

	Accuracy        int // entries of the accuracy log
	Repeated        int // entries for samples that already had one
	RepeatedUnequal int // entries with a different answer among them
}

// auditAnswer contains the audit's answers to a sample.
type auditAnswer struct {
	first, last   Element
	inAccuracyLog bool // found in the accuracy log
}

// NewMatches returns an empty comparison. d is the type of the answers' elements.
func NewMatches[Sample cmp.Ordered](d DType) *Matches[Sample] {
	return &Matches[Sample]{dtype: d, index: map[Sample]int{}}
}

// AddAudit adds an answer of the audit's log and reports whether it is the first one for its sample.
func (m *Matches[Sample]) AddAudit(sample Sample, e Element) (first bool) {
	m.Audited++
	i, again := m.index[sample]
	if !again {
		m.index[sample] = len(m.list)
		m.list = append(m.list, auditAnswer{first: e, last: e})
		m.Missing++
		return true
	}
	m.compareElements(m.list[i].last, e)
	m.list[i].last = e
	return false
}

// Wants reports whether the accuracy log's answer to a sample must be compared, and returns the index of the audit's
// sample.
func (m *Matches[Sample]) Wants(sample Sample) (at int, wanted bool) {
	i, has := m.index[sample]
	return i, has && !m.list[i].inAccuracyLog
}

// AddReference adds the accuracy log's first answer to a wanted sample.
func (m *Matches[Sample]) AddReference(at int, e Element) {
	a := &m.list[at]
	a.inAccuracyLog = true
	m.Missing--
	m.compareElements(e, a.first)
}

func (m *Matches[Sample]) compareElements(reference, e Element) {
	m.Matched++
	if !m.dtype.equalElements(reference, e) {
		m.Mismatched++
	}
}

// Samples returns the number of samples in the audit's log.
func (m *Matches[Sample]) Samples() int { return len(m.list) }

// Pass reports whether there were comparisons and all of them were equal.
func (m *Matches[Sample]) Pass() bool { return m.Mismatched == 0 && m.Matched > 0 }

// Text returns the official script's output for the comparison.
func (m *Matches[Sample]) Text() string {
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
	return b.String() + VerdictWord(m.Pass())
}

// Absent returns the first samples that are missing in the accuracy log, up to three.
func (m *Matches[Sample]) Absent() []Sample {
	var least []Sample
	for sample, i := range m.index {
		if at, _ := slices.BinarySearch(least, sample); !m.list[i].inAccuracyLog && at < 3 {
			least = slices.Insert(least, at, sample)
			least = least[:min(3, len(least))]
		}
	}
	return least
}
