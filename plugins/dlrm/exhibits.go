package dlrm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/auc"
	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// gallery shows samples with the pairs of user and item that are predicted worst.
type gallery struct {
	dtype payload.DType
	truth auc.Truth
}

// pair is a prediction with what happened.
type pair struct {
	number     int // in the sample
	prediction float64
	clicked    bool
}

// loss is the log loss of a prediction.
func (p pair) loss() float64 {
	right := p.prediction
	if !p.clicked {
		right = 1 - right
	}
	return -math.Log(max(right, 1e-9))
}

// pairs are those of an answer.
func (g gallery) pairs(e mllog.AccuracyEntry) []pair {
	n := len(e.Data) / g.dtype.Size()
	var labels []uint8
	if g.truth.Labels != nil {
		r := g.truth.Samples[e.QSLIndex]
		labels = g.truth.Labels[r.Start:r.End]
	} else {
		n /= 2
	}
	all := make([]pair, n)
	for i := range all {
		if labels != nil {
			all[i] = pair{i, g.dtype.At(e.Data, i), labels[i] == 1}
		} else {
			all[i] = pair{i, g.dtype.At(e.Data, 2*i), g.dtype.At(e.Data, 2*i+1) == 1}
		}
	}
	return all
}

// Rate is the mean log loss of the sample's pairs.
func (g gallery) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	all, sum := g.pairs(e), 0.0
	for _, p := range all {
		sum += p.loss()
	}
	return sum / float64(max(1, len(all))), len(all) > 0
}

// mostPairs is how many pairs of a sample are shown.
const mostPairs = 8

func (g gallery) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	loss, _ := g.Rate(e)
	all := g.pairs(e)
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.loss(), a.loss()) })
	var b strings.Builder
	for _, p := range all[:min(len(all), mostPairs)] {
		what := "not clicked"
		if p.clicked {
			what = "clicked"
		}
		fmt.Fprintf(&b, "pair %d: %s, predicted %.4f\n", p.number, what, p.prediction)
	}
	return sdk.Exhibit{
		Caption: fmt.Sprintf("sample %d of %d pairs: mean log loss %.3f", e.QSLIndex, len(all), loss),
		Text:    exhibit.Texts("THE PAIRS PREDICTED WORST", b.String()),
	}, nil
}
