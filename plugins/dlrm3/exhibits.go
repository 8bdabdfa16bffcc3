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

// ratedCandidate is a candidate with its prediction and label.
type ratedCandidate struct {
	number     int
	prediction float64
	liked      bool
}

// logLoss returns the log loss of the prediction.
func (c ratedCandidate) logLoss() float64 {
	right := c.prediction
	if !c.liked {
		right = 1 - right
	}
	return -math.Log(max(right, 1e-9))
}

// parseCandidates returns the candidates of a payload that the scorer has accepted.
func parseCandidates(payload []byte) []ratedCandidate {
	at := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))) }
	n := (len(payload)/4 - 3) / 3
	all := make([]ratedCandidate, max(n, 0))
	for i := range all {
		all[i] = ratedCandidate{i, at(2 + i), at(2+n+i) == 1}
	}
	return all
}

// maxShownCandidates limits the candidates shown per request.
const maxShownCandidates = 8

// rateRequest rates a request by the mean log loss of its candidates, and shows those with the worst predictions.
func rateRequest(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	all := parseCandidates(e.Data)
	if len(all) == 0 {
		return 0, nil
	}
	for _, c := range all {
		badness += c.logLoss()
	}
	badness /= float64(len(all))
	return badness, func() (sdk.Exhibit, error) {
		slices.SortStableFunc(all, func(a, b ratedCandidate) int { return cmp.Compare(b.logLoss(), a.logLoss()) })
		var b strings.Builder
		for _, c := range all[:min(len(all), maxShownCandidates)] {
			what := "not liked"
			if c.liked {
				what = "liked"
			}
			fmt.Fprintf(&b, "candidate %d: %s, predicted %.4f\n", c.number, what, c.prediction)
		}
		p := parseRequestID(e.Data)
		return sdk.Exhibit{
			Caption: fmt.Sprintf("request %d of period %d, %d candidates: mean log loss %.3f", p.request, p.period, len(all),
				badness),
			Text: exhibit.Paragraphs("THE CANDIDATES PREDICTED WORST", b.String()),
		}, nil
	}
}
