package waymo

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
)

// maxObjects limits the number of objects in an index; that of all 39,987 frames has about 30 million.
const maxObjects = 1 << 26

var errCountReached = errors.New("as many frames as were asked for")

// indexReader converts the items of an index to frames.
type indexReader struct {
	options  FrameOptions
	frames   []*Frame
	names    map[string]string        // interned names of objects
	addFault func(i int, text string) // reports a fault of frame i
}

// readPickle reads an index. It returns an error if the pickle cannot be read; faults of frames go to addFault.
func (x *indexReader) readPickle(data []byte) error {
	x.names = map[string]string{}
	r := pickle.NumPy()
	r.MaxObjects = maxObjects
	r.Each = func(i int, item any) error {
		if x.options.Count > 0 && i == x.options.Count {
			return errCountReached
		}
		x.addFrame(i, item)
		return nil
	}
	whole, err := r.Load(data)
	switch _, list := whole.(*pickle.List); {
	case errors.Is(err, errCountReached):
		return nil
	case err != nil:
		return err
	case !list:
		return fmt.Errorf("a %T, want a list of frames", whole)
	case len(x.frames) == 0:
		return errors.New("it lists no frame")
	}
	return nil
}

func (x *indexReader) addFrame(i int, item any) {
	f := new(Frame)
	p := frameParser{addFault: func(text string) { x.addFault(i, text) }}
	x.frames = append(x.frames, f)
	frame := p.asDict(item, "a frame")
	if frame == nil {
		return
	}
	image := p.asDict(frame["image"], "image")
	f.Image = p.asWholeNumber(image["image_idx"], "image.image_idx", MaxImage)
	files := p
	if x.options.LabelsOnly {
		files.addFault = func(string) {}
	}
	files.readShapes(f, image["camera"])
	files.readPoints(f, frame["point_cloud"])
	f.Calibration = files.readCalibration(frame["calib"])
	f.Objects = p.readObjects(frame["annos"])
	for k := range f.Objects {
		name := f.Objects[k].Name
		if _, known := x.names[name]; !known {
			x.names[name] = name
		}
		f.Objects[k].Name = x.names[name]
	}
}

// frameParser parses the fields of a frame and reports faults.
type frameParser struct{ addFault func(text string) }

func (p frameParser) addFaultf(format string, a ...any) { p.addFault(fmt.Sprintf(format, a...)) }

// asDict returns v if it is a dict. Otherwise it reports a fault and returns nil.
func (p frameParser) asDict(v any, name string) pickle.Dict {
	d, ok := v.(pickle.Dict)
	if !ok {
		p.addFaultf("%s is %s, want a dict", name, pythonTypeName(v))
	}
	return d
}

func pythonTypeName(v any) string {
	if v == nil {
		return "missing"
	}
	return fmt.Sprintf("a %T", v)
}

// asWholeNumber converts a whole number from 0 to maxValue. Other values are faults.
func (p frameParser) asWholeNumber(v any, name string, maxValue int64) int {
	n, err := pickle.AsInts(v)
	switch {
	case v == nil:
		p.addFaultf("%s is missing", name)
	case err != nil || len(n) != 1:
		p.addFaultf("%s is %s, want a whole number", name, pythonTypeName(v))
	case n[0] < 0 || n[0] > maxValue:
		p.addFaultf("%s is %d, want 0 to %d", name, n[0], maxValue)
	default:
		return int(n[0])
	}
	return 0
}

// maxSide is the largest width or height of a JPEG.
const maxSide = 1<<16 - 1

func (p frameParser) readPoints(f *Frame, v any) {
	name, _ := p.asDict(v, "point_cloud")["velodyne_path"].(string)
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsRune(name, 0) {
		p.addFaultf("point_cloud.velodyne_path is %.100q, want a path inside the data set's folder", name)
		return
	}
	f.PointsFile = name
}

func (p frameParser) readShapes(f *Frame, v any) {
	cameras, ok := v.(*pickle.List)
	if !ok || len(cameras.Items) < Cameras {
		p.addFaultf("image.camera is %s, want a list of %d", pythonTypeName(v), Cameras)
		return
	}
	for k := range f.Shapes {
		name := fmt.Sprintf("image.camera[%d].image_shape", k)
		shape := p.asDict(cameras.Items[k], name)["image_shape"]
		n, err := pickle.AsInts(shape)
		if err != nil || len(n) < 2 || min(n[0], n[1]) < 1 || max(n[0], n[1]) > maxSide {
			p.addFaultf("%s is %s, want a height and a width in pixels", name, pythonTypeName(shape))
			continue
		}
		f.Shapes[k] = PictureShape{int(n[0]), int(n[1])}
	}
}

// readCalibration requires matrices that are not degenerate.
func (p frameParser) readCalibration(v any) (c CameraCalibration) {
	matrices := p.asDict(v, "calib")
	if matrices == nil {
		return c
	}
	read := func(m *Matrix, name string) {
		at := matrices[name]
		if a, ok := at.(*pickle.NumpyArray); !ok || !slices.Equal(a.Shape, []int{4, 4}) {
			if ok {
				p.addFaultf("calib.%s has the shape %v, want [4 4]", name, a.Shape)
			} else {
				p.addFaultf("calib.%s is %s, want an array", name, pythonTypeName(at))
			}
			return
		}
		copy(m[:], p.asFloats(at, "calib."+name, 16))
	}
	read(&c.R0, "R0_rect")
	for k := range Cameras {
		read(&c.P[k], fmt.Sprintf("P%d", k))
		read(&c.Tr[k], fmt.Sprintf("Tr_velo_to_cam_%d", k))
		for row := range 3 {
			if c.P[k] != (Matrix{}) && [4]float32(c.P[k][4*row:]) == ([4]float32{}) {
				p.addFaultf("calib.P%d has zeros alone in row %d: no point has a place in the picture", k, row)
			}
		}
	}
	return c
}

// asFloats converts n finite numbers to float32. For other values it reports a fault and returns nil.
func (p frameParser) asFloats(v any, name string, n int) []float32 {
	all, err := pickle.AsFloats(v)
	if a, ok := v.(*pickle.NumpyArray); ok && len(a.Data) == 0 { // an empty array may have any type in NumPy
		all, err = nil, nil
	}
	switch {
	case v == nil:
		p.addFaultf("%s is missing", name)
		return nil
	case err != nil:
		p.addFaultf("%s: %v", name, err)
		return nil
	case len(all) != n:
		p.addFaultf("%s has %d numbers, want %d", name, len(all), n)
		return nil
	}
	values := make([]float32, n)
	for i, x := range all {
		if values[i] = float32(x); math.IsNaN(x) || math.IsInf(float64(values[i]), 0) {
			p.addFaultf("%s[%d] is %v, want a finite number", name, i, x)
			return nil
		}
	}
	return values
}

// readObjects reads the lists of a frame's annotations, which contain one item per object.
func (p frameParser) readObjects(v any) []FrameObject {
	annos := p.asDict(v, "annos")
	if annos == nil {
		return nil
	}
	names, err := pickle.AsStrings(annos["name"])
	if a, ok := annos["name"].(*pickle.NumpyArray); ok && len(a.Data) == 0 {
		names, err = nil, nil
	}
	if err != nil {
		p.addFaultf("annos.name: %v", err)
		return nil
	}
	n := len(names)
	read := func(name string, each int) []float32 { return p.asFloats(annos[name], "annos."+name, each*n) }
	locations, dimensions := read("location", 3), read("dimensions", 3)
	angles, boxes, difficulties := read("rotation_y", 1), read("bbox", 4), read("difficulty", 1)
	if n == 0 || min(len(locations), len(dimensions), len(angles), len(boxes), len(difficulties)) == 0 {
		return nil
	}
	all := make([]FrameObject, n)
	for k := range all {
		all[k] = FrameObject{
			Name: names[k], Location: [3]float32(locations[3*k:]), Dimensions: [3]float32(dimensions[3*k:]),
			RotationY: angles[k], Box: [4]float32(boxes[4*k:]), Difficulty: int(difficulties[k]),
		}
	}
	return all
}
