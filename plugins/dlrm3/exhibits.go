package dlrm3

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// gallery shows requests with the candidates that are predicted worst.
type gallery struct{}

// candidate is one with its prediction.
type candidate struct {
	number     int
	prediction float64
	liked      bool
}

// loss is the log loss of a prediction.
func (c candidate) loss() float64 {
	right := c.prediction
	if !c.liked {
		right = 1 - right
	}
	return -math.Log(max(right, 1e-9))
}

// candidates are those of an answer that the scorer has taken.
func candidates(payload []byte) []candidate {
	at := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))) }
	n := (len(payload)/4 - 3) / 3
	all := make([]candidate, max(n, 0))
	for i := range all {
		all[i] = candidate{i, at(2 + i), at(2+n+i) == 1}
	}
	return all
}

// Rate is the mean log loss of the candidates.
func (gallery) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	all, sum := candidates(e.Data), 0.0
	for _, c := range all {
		sum += c.loss()
	}
	return sum / float64(max(1, len(all))), len(all) > 0
}

// mostCandidates is how many candidates of a request are shown.
const mostCandidates = 8

func (g gallery) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	loss, _ := g.Rate(e)
	all := candidates(e.Data)
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.loss(), a.loss()) })
	var b strings.Builder
	for _, c := range all[:min(len(all), mostCandidates)] {
		what := "not liked"
		if c.liked {
			what = "liked"
		}
		fmt.Fprintf(&b, "candidate %d: %s, predicted %.4f\n", c.number, what, c.prediction)
	}
	p := placeOf(e.Data)
	return sdk.Exhibit{
		Caption: fmt.Sprintf("request %d of period %d, %d candidates: mean log loss %.3f", p.request, p.period, len(all),
			loss),
		Text: exhibit.Texts("THE CANDIDATES PREDICTED WORST", b.String()),
	}, nil
}
