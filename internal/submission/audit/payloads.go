package audit

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// payloadFaults counts faults in the payloads of a log.
type payloadFaults struct {
	path    string
	entries int
	empty   entryTally
	partial entryTally // not a whole number of elements
	nan     entryTally
	size    int // common size of all payloads, or mixed
}

const mixedSizes = -1

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

func (j *auditJudge) newPayloadFaults(path string) *payloadFaults { return &payloadFaults{path: path} }

func (p *payloadFaults) addEntry(d evidence.DType, e mllog.AccuracyEntry) {
	size := len(e.Data)
	if p.entries++; p.entries == 1 {
		p.size = size
	} else if p.size != size {
		p.size = mixedSizes
	}
	switch {
	case size == 0:
		p.empty.countEntry(e)
	case size%d.Size != 0:
		p.partial.countEntry(e)
	case d.Float && math.IsNaN(d.At(e.Data, 0)):
		p.nan.countEntry(e)
	}
}

func (p *payloadFaults) judgePayloads(j *auditJudge) {
	if p.empty.n > 0 {
		j.addReason(&j.accuracyReasons, Reason{Check: "payload-empty", File: p.path,
			Found: fmt.Sprintf("%d of %d payloads are empty, the first of sample %d", p.empty.n, p.entries, p.empty.first),
			Want:  "an answer to each sample", Advice: "mend the SUT: it completed samples without data"})
	}
	if p.partial.n > 0 {
		j.addReason(&j.accuracyReasons, Reason{Check: "dtype", File: p.path,
			Found: fmt.Sprintf("%d of %d payloads are no whole %s, the first, of sample %d, has %d bytes",
				p.partial.n, p.entries, j.dtype.Name, p.partial.first, p.partial.size),
			Want:   fmt.Sprintf("payloads of %d bytes or a multiple", j.dtype.Size),
			Advice: "name the type that the SUT answers with: --dtype"})
	}
	if p.nan.n > 0 {
		j.addReason(&j.accuracyReasons, Reason{Check: "nan", File: p.path,
			Found: fmt.Sprintf("%d of %d answers begin with NaN, the first of sample %d", p.nan.n, p.entries, p.nan.first),
			Want:  "numbers", Advice: "find what makes the model answer NaN, or name the right type: --dtype"})
	}
	p.refuseOneElement(j)
}

// refuseOneElement adds a reason if the element type covers only a part of answers that are single numbers.
func (p *payloadFaults) refuseOneElement(j *auditJudge) {
	if j.request.Test != "TEST01" || p.size <= j.dtype.Size || j.dtype.Float || p.size != 4 && p.size != 8 ||
		p.partial.n > 0 {
		return
	}
	j.addReason(&j.accuracyReasons, Reason{Check: "dtype", File: p.path,
		Found: fmt.Sprintf("all payloads have %d bytes: of each answer the type %s sees the first %d", p.size, j.dtype.Name,
			j.dtype.Size),
		Want: fmt.Sprintf("a type of %d bytes", p.size), Advice: "name the type that the SUT answers with: --dtype"})
}
