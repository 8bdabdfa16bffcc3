// Package oracles compares results of this project with those of independent libraries. No other package may import the
// libraries for this purpose.
//
// In scope: the Pillow resize against disintegration/imaging, the area under the ROC curve against gonum. Out of scope:
// equality with the reference itself, which the golden tests of each package check.
package oracles

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/plumbline-ml/plumbline/accuracy/auc"
)

// TestAUCIsGonums scores clicks by both. Predictions have few values, so that many pairs tie across the labels.
func TestAUCIsGonums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, values := range []int{2, 10, 1000, math.MaxInt32} {
		scorer, err := auc.New(auc.Truth{}, auc.PayloadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var all clicks
		for sample := range uint64(50) {
			var payload []byte
			for range 1 + r.IntN(300) {
				p, clicked := float32(r.IntN(values))/float32(values), r.IntN(4) == 0
				if clicked {
					p = float32(math.Sqrt(float64(p))) // so that predictions are worth something
				}
				all.predictions, all.clicked = append(all.predictions, float64(p)), append(all.clicked, clicked)
				label := map[bool]float32{true: 1}[clicked]
				payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(p))
				payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(label))
			}
			if err := scorer.Add(sample, payload); err != nil {
				t.Fatal(err)
			}
		}
		got, err := scorer.Result()
		if err != nil {
			t.Fatal(err)
		}
		sort.Sort(all)
		tpr, fpr, _ := stat.ROC(nil, all.predictions, all.clicked, nil)
		if want := integrate.Trapezoidal(fpr, tpr); math.Abs(got.AUC-want) > 1e-12 {
			t.Errorf("%d values: AUC %v, want %v", values, got.AUC, want)
		}
	}
}

// clicks sort by their predictions.
type clicks struct {
	predictions []float64
	clicked     []bool
}

func (c clicks) Len() int           { return len(c.predictions) }
func (c clicks) Less(i, j int) bool { return c.predictions[i] < c.predictions[j] }
func (c clicks) Swap(i, j int) {
	c.predictions[i], c.predictions[j] = c.predictions[j], c.predictions[i]
	c.clicked[i], c.clicked[j] = c.clicked[j], c.clicked[i]
}
