package volumes

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets. The evaluation set has the size of the benchmark's official set.
const (
	TrainCount       = 320
	CalibrationCount = 12
	EvalCount        = 43
)

// Classes of voxels, equal to those of KiTS19.
const (
	Background uint8 = iota
	Kidney
	Tumour
)

// Set is a set of labelled volumes.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x706c756d_00000101, TrainCount)} }

// Calibration returns the set that the embedded model is quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(0x706c756d_00000102, CalibrationCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x706c756d_00000103, EvalCount)} }

// Name returns the name of volume i: "case_00017".
func (s Set) Name(i int) string { return fmt.Sprintf("case_%05d", i) }

// Volume is a scanned phantom. As in KiTS19, the first axis goes down from slice to slice, the second to the back and
// the third to the left.
type Volume struct {
	Shape   [3]int     // depth, height, width in voxels
	Spacing [3]float64 // between voxels in millimetres
	Values  []float32  // whole HU, in C order, width fastest
	Labels  []uint8    // classes, in the same order
}

// Draw draws volume i: 20 to 54 slices of 57 to 123 by 68 to 144 voxels. The caller owns it.
func (s Set) Draw(i int) *Volume {
	return drawPhantom(draw.NewRandom(s.Seed, uint64(i)))
}

// Size returns the shape and the spacing of volume i without drawing it.
func (s Set) Size(i int) (shape [3]int, spacing [3]float64) {
	scan := newScan(draw.NewRandom(s.Seed, uint64(i)))
	return scan.shape, scan.millimetres()
}
