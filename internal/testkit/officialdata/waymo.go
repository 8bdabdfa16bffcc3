package officialdata

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
)

// WaymoFrames is the number of frames that Waymo writes. With three objects of each class per frame there are 45 of
// each class. With 41 or more found objects, the average precision uses all 11 recalls.
const WaymoFrames = 15

// WaymoMAP is the mAP of tinymodel's networks for PointPainting on these frames: they find all objects.
const WaymoMAP = 1.0

// solids are the classes with their sizes (length, height, width) and the colours by which tinymodel's segmentation
// distinguishes them.
var solids = []struct {
	name string
	size [3]float32
	look color.RGBA
}{
	{"Pedestrian", [3]float32{0.91, 1.74, 0.84}, red},
	{"Cyclist", [3]float32{1.81, 1.77, 0.84}, blue},
	{"Car", [3]float32{4.73, 1.77, 2.08}, green},
}

// Waymo writes the folder kitti_format of the Waymo open data set. Each object is one lidar point in the middle of a
// pillar, and a patch of its class's colour in the picture of the front camera. Other points are on the ground.
func Waymo(dir string) error {
	var frames []*waymo.Frame
	var faults []error
	for i := range WaymoFrames {
		f := &waymo.Frame{Image: 1_000_123 + 7*i, Calibration: waymoCalibration()}
		f.PointsFile = fmt.Sprintf("training/velodyne/%d.bin", f.Image)
		for k := range f.Shapes {
			f.Shapes[k] = waymo.PictureShape{Height: waymoHeight, Width: waymoWidth}
		}
		ahead := image.NewRGBA(image.Rect(0, 0, waymoWidth, waymoHeight))
		draw.Draw(ahead, ahead.Bounds(), image.NewUniform(color.Gray{90}), image.Point{}, draw.Src)
		points := waymoGround(i)
		for n := range 3 * len(solids) {
			s := solids[n%len(solids)]
			x := middle(29 + 0.5*float64(i%5))
			y, z := middle(-x*(0.2+0.08*float64(n))), -1.0
			points = append(points, float32(x), float32(y), float32(z), 0.5, 0)
			u, v := int(waymoWidth/2-waymoFocus*y/x), int(waymoHeight/2+waymoFocus*(2-z)/x)
			draw.Draw(ahead, image.Rect(u-6, v-6, u+7, v+7), image.NewUniform(s.look), image.Point{}, draw.Src)
			f.Objects = append(f.Objects, waymo.FrameObject{
				Name: s.name, Location: [3]float32{float32(-y), float32(2 - z), float32(x)}, Dimensions: s.size,
			})
		}
		f.Objects = append(f.Objects, waymo.FrameObject{Name: "Sign", Dimensions: [3]float32{1, 1, 1}})
		frames = append(frames, f)
		faults = append(faults, write(filepath.Join(dir, filepath.FromSlash(f.PointsFile)), waymo.EncodePoints(points)),
			writeCameras(dir, f, ahead))
	}
	var index bytes.Buffer
	faults = append(faults, waymo.WriteIndex(&index, frames))
	return errors.Join(append(faults, write(filepath.Join(dir, "waymo_infos_val.pkl"), index.Bytes()))...)
}

// The size of the pictures and the focal length in pixels, smaller than Waymo's.
const waymoWidth, waymoHeight, waymoFocus = 384, 256, 192

// waymoCalibration returns cameras 2 m above the origin that look ahead, half left, half right, left and right.
func waymoCalibration() (c waymo.CameraCalibration) {
	c.R0 = waymo.Matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	const half = math.Sqrt2 / 2
	for k, ahead := range [waymo.Cameras][2]float32{{1, 0}, {half, half}, {half, -half}, {0, 1}, {0, -1}} {
		x, y := ahead[0], ahead[1]
		c.Tr[k] = waymo.Matrix{y, -x, 0, 0, 0, 0, -1, 2, x, y, 0, 0, 0, 0, 0, 1}
		c.P[k] = waymo.Matrix{
			waymoFocus, 0, waymoWidth / 2, 0, 0, waymoFocus, waymoHeight / 2, 0, 0, 0, 1, 0, 0, 0, 0, 1,
		}
	}
	return c
}

// middle returns the middle of the official pillar around a position.
func middle(v float64) float64 {
	const low, side = -74.88, 0.32
	return (math.Floor((v-low)/side)+0.5)*side + low
}

// waymoGround returns points behind the car, which are not visible in pictures, and one that is too far away.
func waymoGround(seed int) (points []float32) {
	for i := range 500 {
		points = append(points, float32(-5-(i*7+seed)%60), float32(i%90-45), -1.5, 0.125, 0)
	}
	return append(points, 80, 0, 0, 1, 1)
}

// writeCameras writes the front picture, and grey pictures of the other cameras.
func writeCameras(dir string, f *waymo.Frame, ahead image.Image) error {
	var faults []error
	for k := range f.Shapes {
		data, err := encoded(color.Gray{90}, waymoWidth, waymoHeight)
		if k == 0 {
			data, err = encode(ahead)
		}
		faults = append(faults, err, write(filepath.Join(dir, filepath.FromSlash(f.PictureName(k))), data))
	}
	return errors.Join(faults...)
}
