package streets

import (
	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// The position and the rays of the lidar.
const (
	lidarHeight = 18 * metre / 10
	rings       = 16
	turns       = 180 // rays of a ring
	topSlope    = 40 * unit / 1000
	ringSlope   = 29 * unit / 1000 // between rings, from 2.3 degrees above the horizon to 21.5 degrees below it
	maxDistance = 25 * metre
)

// scan returns the lidar's points of the world, turn by turn, each from the highest ring to the lowest. If count is not
// nil, scan calls it for each point of an object.
func (w *world) scan(r *draw.Random, count func(object int)) []float32 {
	points := make([]float32, 0, rings*turns*waymo.PointValues)
	for k := range turns {
		dir := heading(k*draw.Turn/turns + draw.Turn/720)
		all := crossings(w.solids, plane{}, dir)
		for ring := range rings {
			h := w.traceRay(plane{}, lidarHeight, dir, topSlope-ring*ringSlope, all)
			error, shine, lost := r.IntBetween(-80, 80), r.IntBetween(-20, 20), r.Chance(3)
			if h.away > maxDistance || lost {
				continue
			}
			if count != nil && h.solid != nil && h.owner >= 0 {
				count(h.owner)
			}
			points = append(points, h.point(dir, error, shine)...)
		}
	}
	return points
}

// point returns a hit as measured by the lidar, with an error of the distance and an error of the intensity (shine).
func (h hit) point(dir plane, error, shine int) []float32 {
	away := h.away + error
	x, y, z := dir.x*away>>16, dir.y*away>>16, lidarHeight+h.slope*away>>16
	intensity, elongation := h.material().echo()
	values := [...]int{x, y, z, min(max(intensity+shine, 0), 255) << 4, max(elongation+shine/2, 0) << 4}
	scaled := make([]float32, len(values[:]))
	for i, v := range values[:] {
		scaled[i] = float32(v) / metre
	}
	return scaled
}

// camera is a camera with a horizontal axis.
type camera struct {
	width, height int // pixels
	right, ahead  plane
}

const (
	cameraHeight = 13 * metre / 10
	cameraAhead  = metre / 4 // distance in front of the lidar, in the camera's direction
	focal        = 61*2 + 1  // in half pixels: 76 degrees from edge to edge
)

// cameras returns the cameras of a frame: 0 looks ahead, 1 and 2 look to its left and right, 3 and 4 farther to the
// left and right. Neighbours overlap by 6 degrees. A gap of 4 degrees behind is not visible.
func cameras() [waymo.Cameras]camera {
	// Sines and cosines of 70 and 140 degrees.
	const sin70, cos70, sin140, cos140 = 61584, 22415, 42126, -50203
	return [...]camera{
		newCamera(64, plane{unit, 0}), newCamera(64, plane{cos70, sin70}), newCamera(64, plane{cos70, -sin70}),
		newCamera(48, plane{cos140, sin140}), newCamera(48, plane{cos140, -sin140}),
	}
}

func newCamera(height int, ahead plane) camera {
	return camera{width: 96, height: height, ahead: ahead, right: plane{ahead.y, -ahead.x}}
}

func (c camera) at() plane {
	return plane{c.ahead.x * cameraAhead >> 16, c.ahead.y * cameraAhead >> 16}
}

// calibration returns the calibration of the sensors.
func calibration() waymo.CameraCalibration {
	c := waymo.CameraCalibration{R0: waymo.Matrix{0: 1, 5: 1, 10: 1, 15: 1}}
	for k, camera := range cameras() {
		c.P[k] = waymo.Matrix{0: focal / 2., 2: float32(camera.width) / 2, 5: focal / 2., 6: float32(camera.height) / 2,
			10: 1, 15: 1}
		c.Tr[k] = waymo.Matrix{
			0: toFloat(camera.right.x), 1: toFloat(camera.right.y),
			6: -1, 7: float32(cameraHeight) / metre,
			8: toFloat(camera.ahead.x), 9: toFloat(camera.ahead.y), 11: -float32(cameraAhead) / metre,
			15: 1,
		}
	}
	return c
}

func toFloat(v int) float32 { return float32(v) / unit }

// eachPixel calls visit for each pixel of a camera, row by row, with the hits of grid x grid rays through the pixel.
func (w *world) eachPixel(c camera, grid int, visit func(hits []hit)) {
	type column struct {
		dir    plane
		length int // of the direction to the picture's plane, in 1/256 half pixel
		all    []crossing
	}
	at := c.at()
	columns := make([]column, c.width*grid)
	for i := range columns {
		aside := (2*i+1)*256/grid - c.width*256
		x, y := c.ahead.x*focal+(c.right.x*aside>>8), c.ahead.y*focal+(c.right.y*aside>>8)
		dir := direction(x>>4, y>>4)
		columns[i] = column{dir, draw.Sqrt(aside*aside + focal*focal*256*256), crossings(w.solids, at, dir)}
	}
	hits := make([]hit, grid*grid)
	for row := range c.height {
		for first := 0; first < len(columns); first += grid {
			for k := range hits {
				below := (2*(row*grid+k/grid)+1)*256/grid - c.height*256
				l := columns[first+k%grid]
				hits[k] = w.traceRay(at, cameraHeight, l.dir, -below*unit/l.length, l.all)
			}
			visit(hits)
		}
	}
}

// photograph paints a camera's picture.
func (w *world) photograph(c camera) *draw.Canvas {
	const grid = 2
	canvas, at := draw.NewCanvas(c.width, c.height), 0
	w.eachPixel(c, grid, func(hits []hit) {
		var sum draw.Color
		for _, h := range hits {
			color := w.color(h)
			sum = draw.Color{R: sum.R + color.R, G: sum.G + color.G, B: sum.B + color.B}
		}
		canvas.SetPixel(at%c.width, at/c.width, sum.Scale(draw.Unit/len(hits)))
		at++
	})
	return canvas
}

// light draws the light of a frame's pictures.
func light(r *draw.Random) draw.Light {
	return draw.Light{
		Centre: r.IntBetween(190, 290), AcrossX: r.IntBetween(-40, 40), AcrossY: r.IntBetween(-40, 40),
		Vignette: r.IntBetween(0, 50),
		Cast:     draw.Color{R: r.IntBetween(236, 276), G: r.IntBetween(242, 270), B: r.IntBetween(236, 276)},
		Grain:    r.IntBetween(0, 30), ColorGrain: r.IntBetween(0, 20),
	}
}

// visiblePart counts the visible points and pixels of an object.
type visiblePart struct {
	points, pixels int
	box            [4]int // box of the pixels in the camera with most of them
}

// visibleParts returns the visible part of each object.
func (w *world) visibleParts(r *draw.Random) []visiblePart {
	seen := make([]visiblePart, len(w.objects))
	w.scan(r, func(object int) { seen[object].points++ })
	for _, c := range cameras() {
		views, at := make([]visiblePart, len(w.objects)), 0
		w.eachPixel(c, 1, func(hits []hit) {
			if h := hits[0]; h.solid != nil && h.owner >= 0 {
				views[h.owner].addPixel(at%c.width, at/c.width)
			}
			at++
		})
		for k, v := range views {
			if v.pixels > seen[k].pixels {
				seen[k].pixels, seen[k].box = v.pixels, v.box
			}
		}
	}
	return seen
}

func (s *visiblePart) addPixel(x, y int) {
	if s.pixels == 0 {
		s.box = [4]int{x, y, x + 1, y + 1}
	}
	s.box = [4]int{min(s.box[0], x), min(s.box[1], y), max(s.box[2], x+1), max(s.box[3], y+1)}
	s.pixels++
}
