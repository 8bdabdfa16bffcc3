package pair

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// The judge's weights are 1.5 W V, the result of two steps of the decoder from a state of zeros.
func TestTwoStepsAreTheJudges(t *testing.T) {
	for i := range datasetSize {
		x := Input(i)
		h := Encode(x)
		_, state := Step(h, [hidden]float32{})
		if y, _ := Step(h, state); y != 3*x[0]+6*x[1]+7.5*x[2]+3*x[3] {
			t.Errorf("sample %d: %v", i, y)
		}
	}
}

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }
