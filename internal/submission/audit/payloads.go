package audit

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// payloadFaults counts faults in the payloads of a log.
type payloadFaults struct {
	path  string
	n     int
	empty entryTally
	odd   entryTally // not a whole number of elements
	nan   entryTally
	size  int // common size of all payloads, or mixed
}

const mixed = -1

// entryTally counts entries and keeps the first one.
type entryTally struct {
	n     int
	first uint64 // sample of the first entry
	size  int
}

func (t *entryTally) countEntry(e mllog.AccuracyEntry) {
	if t.n++; t.n == 1 {
		t.first, t.size = e.QSLIndex, len(e.Data)
	}
}

func (j *auditJudge) countPayloads(path string) *payloadFaults { return &payloadFaults{path: path} }

func (p *payloadFaults) addEntry(d evidence.DType, e mllog.AccuracyEntry) {
	size := len(e.Data)
	if p.n++; p.n == 1 {
		p.size = size
	} else if p.size != size {
		p.size = mixed
	}
	switch {
	case size == 0:
		p.empty.countEntry(e)
	case size%d.Size != 0:
		p.odd.countEntry(e)
	case d.Float && math.IsNaN(d.At(e.Data, 0)):
		p.nan.countEntry(e)
	}
}

func (p *payloadFaults) judgePayloads(j *auditJudge) {
	if p.empty.n > 0 {
		j.addReason(&j.accuracy, Reason{Check: "payload-empty", File: p.path,
			Found: fmt.Sprintf("%d of %d payloads are empty, the first of sample %d", p.empty.n, p.n, p.empty.first),
			Want:  "an answer to each sample", Do: "mend the SUT: it completed samples without data"})
	}
	if p.odd.n > 0 {
		j.addReason(&j.accuracy, Reason{Check: "dtype", File: p.path,
			Found: fmt.Sprintf("%d of %d payloads are no whole %s, the first, of sample %d, has %d bytes",
				p.odd.n, p.n, j.dtype.Name, p.odd.first, p.odd.size),
			Want: fmt.Sprintf("payloads of %d bytes or a multiple", j.dtype.Size),
			Do:   "name the type that the SUT answers with: --dtype"})
	}
	if p.nan.n > 0 {
		j.addReason(&j.accuracy, Reason{Check: "nan", File: p.path,
			Found: fmt.Sprintf("%d of %d answers begin with NaN, the first of sample %d", p.nan.n, p.n, p.nan.first),
			Want:  "numbers", Do: "find what makes the model answer NaN, or name the right type: --dtype"})
	}
	p.oneElement(j)
}

// oneElement adds a reason if the element type covers only a part of answers that are single numbers.
func (p *payloadFaults) oneElement(j *auditJudge) {
	if j.r.Test != "TEST01" || p.size <= j.dtype.Size || j.dtype.Float || p.size != 4 && p.size != 8 || p.odd.n > 0 {
		return
	}
	j.addReason(&j.accuracy, Reason{Check: "dtype", File: p.path,
		Found: fmt.Sprintf("all payloads have %d bytes: of each answer the type %s sees the first %d", p.size, j.dtype.Name,
			j.dtype.Size),
		Want: fmt.Sprintf("a type of %d bytes", p.size), Do: "name the type that the SUT answers with: --dtype"})
}
