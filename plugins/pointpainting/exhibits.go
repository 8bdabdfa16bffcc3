package pointpainting

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy/kitti3d"
	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/lidar"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// frameGallery shows frames from above.
type frameGallery struct {
	networkBinding
	set waymo.FrameSource
}

// Minimum score of a confident detection, minimum overlap of a detection with its object, and size of shown pictures.
const (
	minScore   = 0.5
	minOverlap = 0.5
	shownSide  = 360 // side of the shown square in pixels
)

// shownObject is a box of the log or of the data set.
type shownObject struct {
	kitti3d.Box
	class int
}

// trueObjects returns the objects of a frame that count in the score.
func (g *frameGallery) trueObjects(i int) (all []shownObject) {
	for _, o := range g.set.Frame(i).Objects {
		for class, name := range kitti3d.Classes() {
			if o.Name == name && o.Difficulty == 0 {
				all = append(all, shownObject{toTrueObject(o).Box, class})
			}
		}
	}
	return all
}

// parseDetections returns the confident detections in a payload.
func parseDetections(payload []byte) (all []shownObject) {
	const row = 14
	for ; len(payload) >= 4*row; payload = payload[4*row:] {
		var v [row]float32
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(payload[4*k:]))
		}
		if v[0] > 0 && v[12] >= minScore {
			box := kitti3d.Box{Dimensions: [3]float32(v[0:3]), Location: [3]float32(v[3:6]), RotationY: v[6]}
			all = append(all, shownObject{box, int(v[11])})
		}
	}
	return all
}

// countFound returns the number of detections that match an object. Each object counts once.
func countFound(detections, objects []shownObject) (n int) {
	taken := make([]bool, len(objects))
	for _, d := range detections {
		for i, o := range objects {
			if !taken[i] && d.class == o.class && kitti3d.Overlap(d.Box, o.Box) >= minOverlap {
				taken[i] = true
				n++
				break
			}
		}
	}
	return n
}

// rateFrame rates a frame by the numbers of missed objects and of false detections.
func (g *frameGallery) rateFrame(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	i, sure := int(e.QSLIndex), parseDetections(e.Data)
	objects := g.trueObjects(i)
	return float64(len(objects) + len(sure) - 2*countFound(sure, objects)), func() (sdk.Exhibit, error) {
		return g.showFrame(i, objects, sure)
	}
}

// showFrame draws a frame from above, with the view of camera 0 upwards. It shows the boxes, and the points of the
// pillars in the colours of the pictures, or in grey if no camera sees them.
func (g *frameGallery) showFrame(i int, objects, detections []shownObject) (sdk.Exhibit, error) {
	pillars, err := g.colourPillars(i)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	view := topView{image.NewNRGBA(image.Rect(0, 0, shownSide, shownSide)), float64(max(g.grid.High[0], g.grid.High[1]))}
	for k := range view.Pix {
		view.Pix[k] = 0xff
	}
	f := g.set.Frame(i)
	camera := multiplyMatrices(&f.Calibration.R0, &f.Calibration.Tr[0])
	for k := range pillars.Counts {
		for point := range slices.Chunk(pillars.PillarPoints(k), lidar.Painted) {
			view.drawPoint(applyMatrix(&camera, point[0], point[1], point[2]), point[lidar.Values:])
		}
	}
	for _, o := range objects {
		view.drawBox(o.Box, exhibit.Truth)
	}
	for _, d := range detections {
		view.drawBox(d.Box, exhibit.Found)
	}
	text, err := exhibit.PNG(view.NRGBA)
	right := countFound(detections, objects)
	return sdk.Exhibit{PNG: text, Caption: fmt.Sprintf("frame %d (image %d) from above, %.4g m to each side: %d of %d "+
		"objects (green) found, %d detections (red) of nothing", i, f.Image, view.reach, right, len(objects),
		len(detections)-right)}, err
}

// colourPillars returns the pillars of a frame. Its points are painted with red, green, blue and 1 instead of scores.
func (g *frameGallery) colourPillars(i int) (*lidar.Pillars, error) {
	w := frameWorkload{networkBinding: g.networkBinding, set: g.set}
	s := frameSample{index: i, frame: g.set.Frame(i)}
	if err := w.readSensors(&s); err != nil {
		return nil, err
	}
	pillars, p := new(lidar.Pillars), new(lidar.Painter)
	calibration := lidar.Calibration(s.frame.Calibration)
	pillars.Fill(g.grid, g.grid.Filter(s.points), lidar.Values)
	p.Start(pillars)
	for k, picture := range s.pictures {
		size := lidar.PictureSize{Height: picture.H, Width: picture.W}
		p.AddCamera(&calibration, k, size, func(dst []float32, pixels []int32) {
			for n, pixel := range pixels {
				level := picture.Pix[3*pixel:]
				copy(dst[n*lidar.Scores:], []float32{float32(level[0]), float32(level[1]), float32(level[2]), 1, 0, 0})
			}
		})
	}
	p.Finish()
	return pillars, nil
}

// topView is a picture of a square of the ground. reach is the distance in metres from its centre to its sides.
type topView struct {
	*image.NRGBA
	reach float64
}

func (a topView) toPixel(x, z float64) (column, row int) {
	return int((x/a.reach + 1) * shownSide / 2), int((1 - z/a.reach) * shownSide / 2)
}

// drawPoint draws a point, given in the camera's coordinate system, in its colours.
func (a topView) drawPoint(at [3]float32, s []float32) {
	c := color.NRGBA{0xb0, 0xb0, 0xb0, 0xff}
	if s[3] > 0 {
		c = color.NRGBA{uint8(s[0]), uint8(s[1]), uint8(s[2]), 0xff}
	}
	x, y := a.toPixel(float64(at[0]), float64(at[2]))
	for k := range 4 { // large enough to recognize its colour
		a.SetNRGBA(x+k%2, y+k/2, c)
	}
}

// drawBox draws the outline of a box's bottom.
func (a topView) drawBox(b kitti3d.Box, c color.NRGBA) {
	sin, cos := math.Sincos(float64(b.RotationY))
	l, w := float64(b.Dimensions[0])/2, float64(b.Dimensions[2])/2
	corner := func(i int) (x, z float64) {
		x, z = [...]float64{-l, l, l, -l}[i%4], [...]float64{-w, -w, w, w}[i%4]
		return float64(b.Location[0]) + x*cos + z*sin, float64(b.Location[2]) - x*sin + z*cos
	}
	const steps = 2 * shownSide
	for i := range 4 {
		x0, z0 := corner(i)
		x1, z1 := corner(i + 1)
		for k := range steps {
			t := float64(k) / steps
			x, y := a.toPixel(x0+t*(x1-x0), z0+t*(z1-z0))
			a.SetNRGBA(x, y, c)
		}
	}
}
