package audit

// matches compares the answers of an audit's run with those of the accuracy run, sample by sample: each answer with the
// one before it to the same sample, the first with the accuracy run's. The audit's log is read first, so that of the
// accuracy log, which may be large, only the answers to these samples are looked at.
type matches struct {
	dtype dtype
	index map[string]*answered // by sample, of the audit's log

	audited    int // entries of the audit's log
	matched    int // with an answer before
	mismatched int
	missing    int // samples without an entry in the accuracy log

	accuracy        int // entries of the accuracy log
	repeated        int // of samples that it had already
	repeatedUnequal int // with another answer
}

// answered is what an audit's log has of a sample.
type answered struct {
	first, last element
	found       bool // in the accuracy log
}

func newMatches(d dtype) *matches { return &matches{dtype: d, index: map[string]*answered{}} }

// audit adds an answer of the audit's log.
func (m *matches) audit(sample string, e element) {
	m.audited++
	a := m.index[sample]
	if a == nil {
		m.index[sample] = &answered{first: e, last: e}
		m.missing++
		return
	}
	m.compare(a.last, e)
	a.last = e
}

// wants says whether the accuracy log's answer to a sample is to be compared.
func (m *matches) wants(sample string) bool {
	a := m.index[sample]
	return a != nil && !a.found
}

// reference adds the accuracy log's first answer to a sample that is wanted.
func (m *matches) reference(sample string, e element) {
	a := m.index[sample]
	a.found = true
	m.missing--
	m.compare(e, a.first)
}

func (m *matches) compare(reference, e element) {
	m.matched++
	if !m.dtype.equal(reference, e) {
		m.mismatched++
	}
}

func (m *matches) pass() bool { return m.mismatched == 0 && m.matched > 0 }
