package captioned

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// latentSeed is the seed of the noise.
const latentSeed = 0x63617074_00000004

// Sizes of the sets.
const (
	TrainCount     = 16000
	ReferenceCount = 4000
	EvalCount      = 500
)

// Side is a picture's width and height in pixels.
const Side = 64

// Set is a set of pictures with captions.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x63617074_00000001, TrainCount)} }

// Reference returns the set with the real pictures of the FID.
func Reference() Set { return Set{draw.NewSampleSet(0x63617074_00000002, ReferenceCount)} }

// Eval returns the set whose captions are the samples of the benchmark.
func Eval() Set { return Set{draw.NewSampleSet(0x63617074_00000003, EvalCount)} }

// Name returns the file name of picture i: "captioned_00000017.png".
func (s Set) Name(i int) string { return fmt.Sprintf("captioned_%08d.png", i) }

// Caption returns a sentence of ASCII that describes picture i: "A small red star at the top left of a blue ground."
func (s Set) Caption(i int) string { return s.scene(i).caption() }

// PNG draws picture i and encodes it: 8-bit RGB, [Side] x [Side], 12 KB. The caller owns the bytes.
func (s Set) PNG(i int) []byte {
	return s.scene(i).paint(draw.NewRandom(s.Seed, paintStream, uint64(i))).PNG()
}

// Streams of random numbers of one picture. Its content does not depend on how it is painted.
const (
	sceneStream = iota
	paintStream
)

func (s Set) scene(i int) *scene { return newScene(draw.NewRandom(s.Seed, sceneStream, uint64(i))) }

// LatentShape is the shape of the initial noise of generated pictures: one, channels, height, width.
var LatentShape = [4]int{1, 4, Side / 8, Side / 8}

// Latent returns that noise in C order: approximately normal numbers with mean 0 and deviation 1, which are exact
// multiples of 1/65536. Each is the sum of twelve uniform numbers minus its mean.
func Latent() []float32 {
	r, values := draw.NewRandom(latentSeed), make([]float32, LatentShape[1]*LatentShape[2]*LatentShape[3])
	for i := range values {
		sum := -6 * (1 << 16)
		for range 12 {
			sum += r.IntBelow(1 << 16)
		}
		values[i] = float32(sum) / (1 << 16)
	}
	return values
}
