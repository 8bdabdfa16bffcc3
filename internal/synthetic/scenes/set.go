package scenes

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets.
const (
	TrainCount       = 8000
	CalibrationCount = 200
	EvalCount        = 500
)

// Set is a set of pictures.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x706c756d_00000101, TrainCount)} }

// Calibration returns the set that the embedded model is quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(0x706c756d_00000102, CalibrationCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x706c756d_00000103, EvalCount)} }

// Name returns the file name of picture i: "scene_00000017.png".
func (s Set) Name(i int) string { return fmt.Sprintf("scene_%08d.png", i) }

// Picture returns the contents of picture i without painting it.
func (s Set) Picture(i int) Picture { return s.scene(i).picture() }

// PNG draws picture i and encodes it: 8-bit RGB, short side 200 to 360 pixels, long side up to 1.5 times the short
// side, 0.1 to 0.6 MB. The caller owns the bytes.
func (s Set) PNG(i int) []byte { return s.scene(i).paint().PNG() }

// Streams of random numbers of one picture. Its contents do not depend on how it is painted.
const (
	layoutStream = iota
	paintStream
)

func (s Set) scene(i int) *scene {
	return newScene(draw.NewRandom(s.Seed, layoutStream, uint64(i)), draw.NewRandom(s.Seed, paintStream, uint64(i)))
}

// Picture describes the contents of a picture.
type Picture struct {
	Width, Height int // in pixels
	Objects       []Object
}

// Object is an object, or a crowd of them.
type Object struct {
	Class int        // in [0, Classes)
	Box   [4]float64 // x, y, width, height in pixels, within the picture; exact multiples of 1/256
	Area  float64    // area of the figure within the picture, in pixels
	Crowd bool       // the box contains many small objects of the class
}
