package streets

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets.
const (
	TrainCount       = 1200
	CalibrationCount = 40
	EvalCount        = 60
)

// Set is a set of frames, a [waymo.Source].
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded models are trained on.
func Train() Set { return Set{draw.NewSampleSet(0x706c756d_00000501, TrainCount)} }

// Calibration returns the set that the embedded models are quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(0x706c756d_00000502, CalibrationCount)} }

// Eval returns the set on which accuracy is measured, with at least 180 counted cars, pedestrians and cyclists each.
func Eval() Set { return Set{draw.NewSampleSet(0x706c756d_00000503, EvalCount)} }

// Streams of random numbers of one frame. Its layout does not depend on its looks or on how it is scanned.
const (
	layoutStream = iota
	lookStream
	scanStream
	lightStream
)

func (s Set) random(i, stream int) *draw.Random {
	return draw.NewRandom(s.Seed, uint64(stream), uint64(i))
}

func (s Set) world(i int) *world { return newWorld(s.random(i, layoutStream), s.random(i, lookStream)) }

// image returns the number of frame i. It differs from the numbers in other sets.
func (s Set) image(i int) int { return int(s.Seed&0xff)*1_000_000 + 7*i }

// Frame draws the true objects of frame i. An object that lidar and cameras see sufficiently counts, with difficulty 0;
// others have difficulty 2.
func (s Set) Frame(i int) *waymo.Frame {
	w := s.world(i)
	seen := w.visibleParts(s.random(i, scanStream))
	frame := &waymo.Frame{
		Image: s.image(i), PointsFile: fmt.Sprintf("training/velodyne/%07d.bin", s.image(i)), Calibration: calibration(),
	}
	for k, c := range cameras() {
		frame.Shapes[k] = waymo.PictureShape{Height: c.height, Width: c.width}
	}
	for k, o := range w.objects {
		frame.Objects = append(frame.Objects, o.annotation(seen[k]))
	}
	return frame
}

// ReadPoints draws the points of frame i, about 2,500.
func (s Set) ReadPoints(i int) ([]float32, error) {
	return s.world(i).scan(s.random(i, scanStream), nil), nil
}

// ReadPicture draws a camera's picture of frame i and encodes it as PNG, about 18 kB.
func (s Set) ReadPicture(i, camera int) ([]byte, error) { return s.canvas(i, camera).PNG(), nil }

// JPEG draws a camera's picture of frame i and encodes it as JPEG with a quality of 1 to 100.
func (s Set) JPEG(i, camera, quality int) []byte { return s.canvas(i, camera).JPEG(quality) }

func (s Set) canvas(i, camera int) *draw.Canvas {
	c := s.world(i).photograph(cameras()[camera])
	c.Grade(light(s.random(i, lightStream)), draw.NewRandom(s.Seed, lightStream, uint64(i), uint64(camera)+1))
	return c
}

// Classes returns the class of each pixel of a camera's picture, row by row: Cityscapes' training classes, 0 to 18.
func (s Set) Classes(i, camera int) []uint8 {
	c := cameras()[camera]
	classes := make([]uint8, 0, c.width*c.height)
	s.world(i).eachPixel(c, 1, func(hits []hit) { classes = append(classes, hits[0].class()) })
	return classes
}
