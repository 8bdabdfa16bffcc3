package waymo

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
)

// WriteIndex writes the index of the frames.
func WriteIndex(w io.Writer, frames []*Frame) error {
	items := make([]any, len(frames))
	for i, f := range frames {
		items[i] = f.toPickle()
	}
	data, err := pickle.Write(&pickle.List{Items: items})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (f *Frame) toPickle() pickle.Dict {
	cameras, calibration := &pickle.List{}, pickle.Dict{"R0_rect": toMatrixArray(f.Calibration.R0)}
	for k, shape := range f.Shapes {
		cameras.Items = append(cameras.Items, pickle.Dict{
			"image_shape": pickle.Tuple{int64(shape.Height), int64(shape.Width)},
		})
		calibration[fmt.Sprintf("P%d", k)] = toMatrixArray(f.Calibration.P[k])
		calibration[fmt.Sprintf("Tr_velo_to_cam_%d", k)] = toMatrixArray(f.Calibration.Tr[k])
	}
	return pickle.Dict{
		"image":       pickle.Dict{"image_idx": int64(f.Image), "camera": cameras},
		"point_cloud": pickle.Dict{"velodyne_path": f.PointsFile},
		"calib":       calibration,
		"annos":       toPickledObjects(f.Objects),
	}
}

func toMatrixArray(m Matrix) *pickle.NumpyArray { return toFloatArray(m[:], 4, 4) }

func toFloatArray(values []float32, shape ...int) *pickle.NumpyArray {
	return &pickle.NumpyArray{DType: "<f4", Shape: shape, Data: floatBytes(values)}
}

func floatBytes(values []float32) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func toPickledObjects(objects []FrameObject) pickle.Dict {
	var locations, dimensions, angles, boxes []float32
	var difficulties, letters []byte
	longest := 1
	for _, o := range objects {
		longest = max(longest, len([]rune(o.Name)))
	}
	for _, o := range objects {
		locations = append(locations, o.Location[:]...)
		dimensions = append(dimensions, o.Dimensions[:]...)
		angles, boxes = append(angles, o.RotationY), append(boxes, o.Box[:]...)
		difficulties = binary.LittleEndian.AppendUint32(difficulties, uint32(int32(o.Difficulty)))
		name := make([]rune, longest)
		copy(name, []rune(o.Name))
		for _, letter := range name {
			letters = binary.LittleEndian.AppendUint32(letters, uint32(letter))
		}
	}
	n := len(objects)
	return pickle.Dict{
		"name":     &pickle.NumpyArray{DType: fmt.Sprintf("<U%d", longest), Shape: []int{n}, Data: letters},
		"location": toFloatArray(locations, n, 3), "dimensions": toFloatArray(dimensions, n, 3),
		"rotation_y": toFloatArray(angles,
			n),
		"bbox":       toFloatArray(boxes, n, 4),
		"difficulty": &pickle.NumpyArray{DType: "<i4", Shape: []int{n}, Data: difficulties},
	}
}

// EncodePoints encodes points of PointValues values each in the form of their file. It adds a sixth value of 0 to each
// point.
func EncodePoints(points []float32) []byte {
	data := make([]byte, 0, 4*fileValues*len(points)/PointValues)
	for ; len(points) >= PointValues; points = points[PointValues:] {
		data = append(append(data, floatBytes(points[:PointValues])...), 0, 0, 0, 0)
	}
	return data
}
