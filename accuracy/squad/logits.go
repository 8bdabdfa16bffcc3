package squad

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// DTypes returns the element types of payloads that the official script accepts, starting with its default.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{
		accuracy.Float32, accuracy.Float16, accuracy.Float64, accuracy.Int8, accuracy.Int16, accuracy.Int32, accuracy.Int64,
	}
}

// Absent is the logit of positions that a payload does not contain.
const Absent = -10000

// spanLogits contains the logits of each position of a feature as the first and as the last token of the answer.
type spanLogits struct{ start, end []float64 }

// readPayload sets the logits from a payload of pairs or, if transposed, of all start logits followed by all end
// logits.
func (l *spanLogits) readPayload(payload []byte, o ScoreOptions) error {
	d, err := DTypes().Resolve(o.DType)
	if err != nil {
		return err
	}
	pair := 2 * d.Size()
	n := len(payload) / pair
	if len(payload)%pair != 0 || n == 0 || n > len(l.start) {
		return fmt.Errorf("payload of %d bytes, want a multiple of %d, from %d to %d, for start and end logits of dtype "+
			"%v; was the log written with another dtype?",
			len(payload), pair, pair, pair*len(l.start), d)
	}
	for i := range n {
		first, second := 2*i, 2*i+1
		if o.Transposed {
			first, second = i, n+i
		}
		l.start[i], l.end[i] = d.At(payload, first), d.At(payload, second)
		if math.IsNaN(l.start[i]) || math.IsNaN(l.end[i]) {
			return fmt.Errorf("the logits of position %d are %v and %v, want numbers; is the model or its precision broken?",
				i, l.start[i], l.end[i])
		}
	}
	for i := n; i < len(l.start); i++ {
		l.start[i], l.end[i] = Absent, Absent
	}
	return l.checkSums()
}

// checkSums returns an error if the sum of a start and an end logit is NaN, because the order of spans would be
// undefined.
func (l *spanLogits) checkSums() error {
	high, low := math.Inf(1), math.Inf(-1)
	for _, ends := range [][2][]float64{{l.start, l.end}, {l.end, l.start}} {
		if slices.Contains(ends[0], high) && slices.Contains(ends[1], low) {
			return errors.New("the logits of one end hold infinity and those of the other minus infinity, whose sum is NaN; " +
				"is the model or its precision broken?")
		}
	}
	return nil
}

// maxCandidates is the number of positions considered for each end of the answer.
const maxCandidates = 20

// largestPositions writes the positions of the largest values to dst in descending order of value. Equal values keep
// their order.
func largestPositions(dst *[maxCandidates]int, values []float64) []int {
	n := 0
	for i, v := range values {
		if n == maxCandidates && v <= values[dst[n-1]] {
			continue
		}
		at := min(n, maxCandidates-1)
		for at > 0 && values[dst[at-1]] < v {
			dst[at] = dst[at-1]
			at--
		}
		dst[at] = i
		n = min(n+1, maxCandidates)
	}
	return dst[:n]
}
