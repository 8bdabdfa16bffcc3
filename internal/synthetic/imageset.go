package synthetic

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the image sets. All are multiples of [ImageClasses].
const (
	ImageTrainCount       = 20000
	ImageCalibrationCount = 500
	ImageEvalCount        = 1000
)

// Streams of random numbers of one set. The labels and the pictures of a set are independent.
const (
	labelStream = iota
	pictureStream
)

// ImageSet is a set of labelled pictures. Each block of [ImageClasses] pictures, counted from 0, contains every class
// once.
type ImageSet struct{ draw.SampleSet }

// ImageTrain returns the set that the embedded model is trained on.
func ImageTrain() ImageSet { return ImageSet{draw.NewSampleSet(0x706c756d_00000001, ImageTrainCount)} }

// ImageCalibration returns the set that the embedded model is quantised with.
func ImageCalibration() ImageSet {
	return ImageSet{draw.NewSampleSet(0x706c756d_00000002, ImageCalibrationCount)}
}

// ImageEval returns the set that accuracy is measured on.
func ImageEval() ImageSet { return ImageSet{draw.NewSampleSet(0x706c756d_00000003, ImageEvalCount)} }

// Name returns the file name of picture i: "synthetic_00000017.png".
func (s ImageSet) Name(i int) string { return fmt.Sprintf("synthetic_%08d.png", i) }

// Label returns the class of picture i, in [0, ImageClasses).
func (s ImageSet) Label(i int) int {
	block := draw.NewRandom(s.Seed, labelStream, uint64(i/ImageClasses))
	return block.Shuffled(ImageClasses)[i%ImageClasses]
}

// PNG draws picture i and encodes it: 8-bit RGB, short side 180 to 420 pixels, long side up to 1.64 times the short
// side, 0.1 to 0.9 MB. The caller owns the bytes.
func (s ImageSet) PNG(i int) []byte {
	return s.scene(i).PNG()
}

// JPEG draws picture i and encodes it as JPEG with a quality of 1 to 100. At 90 it has a tenth of the PNG's size. The
// caller owns the bytes.
func (s ImageSet) JPEG(i, quality int) []byte {
	return s.scene(i).JPEG(quality)
}

func (s ImageSet) scene(i int) *draw.Canvas {
	return drawScene(draw.NewRandom(s.Seed, pictureStream, uint64(i)), s.Label(i))
}
