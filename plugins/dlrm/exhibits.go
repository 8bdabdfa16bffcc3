package dlrm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/auc"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// predictedPair is a prediction with its label.
type predictedPair struct {
	number     int // index in the sample
	prediction float64
	clicked    bool
}

// logLoss returns the log loss of the prediction.
func (p predictedPair) logLoss() float64 {
	right := p.prediction
	if !p.clicked {
		right = 1 - right
	}
	return -math.Log(max(right, 1e-9))
}

// answeredPairs returns the pairs of an answer to a sample.
func answeredPairs(truth auc.Truth, dtype accuracy.DType, sample uint64, answer []byte) []predictedPair {
	n := len(answer) / dtype.Size()
	var labels []uint8
	if truth.Labels != nil {
		r := truth.Samples[sample]
		labels = truth.Labels[r.Start:r.End]
	} else {
		n /= 2
	}
	all := make([]predictedPair, n)
	for i := range all {
		if labels != nil {
			all[i] = predictedPair{i, dtype.At(answer, i), labels[i] == 1}
		} else {
			all[i] = predictedPair{i, dtype.At(answer, 2*i), dtype.At(answer, 2*i+1) == 1}
		}
	}
	return all
}

// maxShownPairs limits the pairs shown per sample.
const maxShownPairs = 8

// worstPredicted returns a gallery of samples, sorted by the mean log loss of their pairs. It shows the pairs with the
// worst predictions.
func worstPredicted(truth auc.Truth, dtype accuracy.DType) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		all := answeredPairs(truth, dtype, e.QSLIndex, e.Data)
		if len(all) == 0 {
			return 0, nil
		}
		for _, p := range all {
			badness += p.logLoss()
		}
		badness /= float64(len(all))
		return badness, func() (sdk.Exhibit, error) {
			slices.SortStableFunc(all, func(a, b predictedPair) int { return cmp.Compare(b.logLoss(), a.logLoss()) })
			var b strings.Builder
			for _, p := range all[:min(len(all), maxShownPairs)] {
				what := "not clicked"
				if p.clicked {
					what = "clicked"
				}
				fmt.Fprintf(&b, "pair %d: %s, predicted %.4f\n", p.number, what, p.prediction)
			}
			return sdk.Exhibit{
				Caption: fmt.Sprintf("sample %d of %d pairs: mean log loss %.3f", e.QSLIndex, len(all), badness),
				Text:    exhibit.Paragraphs("THE PAIRS PREDICTED WORST", b.String()),
			}, nil
		}
	}
}
