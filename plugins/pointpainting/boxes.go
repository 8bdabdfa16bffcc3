package pointpainting

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy/kitti3d"
)

// lidarBox is a detection in the lidar's coordinate system.
type lidarBox struct {
	x, y, z               float32 // centre of the bottom, in metres
	width, length, height float32
	angle                 float32 // in radians
	class                 int
	score                 float32
}

// frameBoxes contains the boxes of a frame. Its memory is reused for the next frame.
type frameBoxes struct {
	found      []lidarBox
	candidates []int // rows of the detector's output
	grounds    []kitti3d.GroundRect
	kept       []int
	bytes      []byte
}

func (b *frameBoxes) resetBoxes() { b.found = b.found[:0] }

// chooseBoxes selects boxes from the detector's rows, class by class in the order of their scores. It keeps boxes above
// the minimum score that no better box covers. If there are too many, it keeps those with the best scores.
func (b *frameBoxes) chooseBoxes(binding *networkBinding, rows []float32) error {
	for i := 0; i < len(rows); i += rowValues {
		for _, v := range rows[i+7 : i+7+classes] {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("row %d has the score %v, want 0 to 1", i/rowValues, v)
			}
		}
	}
	for class := range classes {
		b.candidates = b.candidates[:0]
		score := func(row int) float32 { return rows[row*rowValues+7+class] }
		for i := range len(rows) / rowValues {
			if score(i) <= binding.MinScore {
				continue
			}
			for k, v := range rows[i*rowValues:][:7] {
				if v-v != 0 {
					return fmt.Errorf("row %d, whose score is %v, has %v at place %d of its box", i, score(i), v, k)
				}
			}
			b.candidates = append(b.candidates, i)
		}
		slices.SortStableFunc(b.candidates, func(x, y int) int { return cmp.Compare(score(y), score(x)) })
		b.suppressOverlaps(binding.MaxOverlap, rows)
		for _, i := range b.kept {
			b.found = append(b.found, decodeBox(rows[i*rowValues:][:rowValues], class))
		}
	}
	if len(b.found) > binding.MaxBoxes {
		slices.SortStableFunc(b.found, func(x, y lidarBox) int { return cmp.Compare(y.score, x.score) })
		b.found = b.found[:binding.MaxBoxes]
	}
	return nil
}

// suppressOverlaps keeps the candidates whose overlap with every better kept candidate does not exceed maxOverlap.
func (b *frameBoxes) suppressOverlaps(maxOverlap float32, rows []float32) {
	b.kept, b.grounds = b.kept[:0], b.grounds[:0]
	for _, i := range b.candidates {
		ground := toGroundRect(rows[i*rowValues:])
		if !b.isCovered(&ground, maxOverlap) {
			b.kept, b.grounds = append(b.kept, i), append(b.grounds, ground)
		}
	}
}

func (b *frameBoxes) isCovered(g *kitti3d.GroundRect, maxOverlap float32) bool {
	for i := range b.grounds {
		if overlapRatio(&b.grounds[i], g) > maxOverlap {
			return true
		}
	}
	return false
}

// toGroundRect returns the ground rectangle of a row's box, seen from above.
func toGroundRect(row []float32) kitti3d.GroundRect {
	return kitti3d.Box{
		Location: [3]float32{row[0], 0, row[1]}, Dimensions: [3]float32{row[3], 0, row[4]}, RotationY: row[6],
	}.GroundRect()
}

// overlapRatio returns the intersection of two rectangles divided by their union, computed in float32.
func overlapRatio(a, b *kitti3d.GroundRect) float32 {
	shared := float32(a.SharedArea(b))
	return shared / max(a.Area()+b.Area()-shared, 1e-8)
}

// decodeBox decodes a row. It maps the angle to [-pi, 0) and reverses boxes with direction 0, in float32.
func decodeBox(row []float32, class int) lidarBox {
	const pi = float32(math.Pi)
	turns := float32(math.Floor(float64(row[6]/pi + 1)))
	angle := row[6] - turns*pi
	angle += (1 - row[10]) * pi
	return lidarBox{
		x: row[0], y: row[1], z: row[2], width: row[3], length: row[4], height: row[5], angle: angle,
		class: class, score: row[7+class],
	}
}
