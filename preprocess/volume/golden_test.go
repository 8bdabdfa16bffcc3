package volume

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenCase is what the reference made of one volume.
type goldenCase struct {
	Pixdim     [3]float64  `json:"pixdim_read"`
	Zoomed     goldenArray `json:"after_zoom_image"`
	ZoomedL    goldenArray `json:"after_zoom_label"`
	Normalised goldenArray `json:"after_normalise"`
	Padded     goldenArray `json:"after_min_pad"`
	Image      goldenArray `json:"final_image_f32"`
	Labels     goldenArray `json:"final_label_u8"`
}

type goldenArray struct {
	Shape []int  `json:"shape"`
	SHA   string `json:"sha256"`
}

// readVoxels reads the voxels of a little-endian NIfTI file of int16, uint8 or float32 to C order.
func readVoxels(t *testing.T, path string) ([]float32, Shape) {
	t.Helper()
	read, shape := stored(t, path)
	values := make([]float32, 0, shape.Voxels())
	for z := range shape[0] {
		for y := range shape[1] {
			for x := range shape[2] {
				values = append(values, read((x*shape[1]+y)*shape[0]+z))
			}
		}
	}
	return values, shape
}

// stored gives the voxels of such a file by their place in it, the first axis fastest.
func stored(t *testing.T, path string) (read func(i int) float32, shape Shape) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	shape = Shape{int(le.Uint16(data[42:])), int(le.Uint16(data[44:])), int(le.Uint16(data[46:]))}
	kind, voxels := le.Uint16(data[70:]), data[int(math.Float32frombits(le.Uint32(data[108:]))):]
	read, ok := map[uint16]func(i int) float32{
		2:  func(i int) float32 { return float32(voxels[i]) },
		4:  func(i int) float32 { return float32(int16(le.Uint16(voxels[2*i:]))) },
		16: func(i int) float32 { return math.Float32frombits(le.Uint32(voxels[4*i:])) },
	}[kind]
	if !ok {
		t.Fatalf("%s: type %d", path, kind)
	}
	return read, shape
}

func toBytes(values []float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func (want goldenArray) check(t *testing.T, what string, shape Shape, data []byte) {
	t.Helper()
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want.SHA || !slices.Equal(want.Shape[len(want.Shape)-3:], shape[:]) {
		t.Errorf("%s: shape %v, sha256 %s, want %v, %s", what, shape, got, want.Shape, want.SHA)
	}
}

// TestGoldenPreprocessing compares every step with the reference's, bit by bit.
func TestGoldenPreprocessing(t *testing.T) {
	eachSet(t, func(t *testing.T, folder string, all map[string]json.RawMessage) {
		for name, text := range all {
			if strings.HasPrefix(name, "case_") {
				t.Run(name, func(t *testing.T) { checkCase(t, filepath.Join(folder, name), text) })
			}
		}
	})
}

// eachSet runs check on each folder of volumes, with what its expected.json says.
func eachSet(t *testing.T, check func(t *testing.T, folder string, all map[string]json.RawMessage)) {
	t.Helper()
	golden.Each(t, "preprocess/kits19/expected.json", func(t *testing.T, path string) {
		var all map[string]json.RawMessage
		golden.ReadJSON(t, path, &all)
		check(t, filepath.Dir(path), all)
	})
}

func checkCase(t *testing.T, folder string, text json.RawMessage) {
	var want goldenCase
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	image, from := readVoxels(t, filepath.Join(folder, "imaging.nii.gz"))
	classes, _ := readVoxels(t, filepath.Join(folder, "segmentation.nii.gz"))
	labels := make([]uint8, len(classes))
	for i, v := range classes {
		labels[i] = uint8(v)
	}
	checkSteps(t, image, labels, from, want)

	r := KiTS19(128)
	got, shape, err := r.PrepareImage(nil, image, from, want.Pixdim)
	if err != nil {
		t.Fatal(err)
	}
	want.Image.check(t, "image", shape, toBytes(got))
	gotLabels, shape, err := r.PrepareLabels(make([]uint8, 7, 1<<24), labels, from, want.Pixdim)
	if err != nil {
		t.Fatal(err)
	}
	want.Labels.check(t, "labels", shape, gotLabels)
}

// checkSteps checks what lies between source and result.
func checkSteps(t *testing.T, image []float32, labels []uint8, from Shape, want goldenCase) {
	p, err := planResample(from, want.Pixdim)
	if err != nil {
		t.Fatal(err)
	}
	least, err := minVoxel(image, from)
	if err != nil {
		t.Fatal(err)
	}
	zoomed := make([]float32, p.resultShape().Voxels())
	p.interpolateImage(zoomed, image, least, func(v float32) float32 { return v })
	want.Zoomed.check(t, "resampled image", p.resultShape(), toBytes(zoomed))
	p.interpolateImage(zoomed, image, least, normaliseHU)
	want.Normalised.check(t, "normalised image", p.resultShape(), toBytes(zoomed))
	picked := make([]uint8, p.resultShape().Voxels())
	p.pickNearest(picked, labels)
	want.ZoomedL.check(t, "resampled labels", p.resultShape(), picked)
	for k, a := range p.axes {
		p.axes[k] = a.padToMin(128)
	}
	padded := make([]float32, p.resultShape().Voxels())
	p.interpolateImage(padded, image, least, normaliseHU)
	want.Padded.check(t, "padded image", p.resultShape(), toBytes(padded))
}

// goldenSliding is the reference's sliding window over a made-up volume with a made-up network.
type goldenSliding struct {
	Final      goldenArray `json:"final"`
	Counts     []int       `json:"class_counts"`
	Importance goldenArray `json:"norm_patch"`
	Line       []float32   `json:"norm_patch_line_64_64"`
}

func TestGoldenSlidingWindow(t *testing.T) {
	eachSet(t, func(t *testing.T, _ string, all map[string]json.RawMessage) {
		text, ok := all["sliding_window"]
		if !ok {
			return // the package's own cases are without it
		}
		var want goldenSliding
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		checkSliding(t, want)
	})
}

func checkSliding(t *testing.T, want goldenSliding) {
	s, err := NewSliding(128)
	if err != nil {
		t.Fatal(err)
	}
	want.Importance.check(t, "importance", Shape{128, 128, 128}, toBytes(s.Importance()))
	if line := s.Importance()[(64*128+64)*128:][:128]; !slices.Equal(line, want.Line) {
		t.Errorf("importance along the width: %v", line)
	}
	shape := Shape(want.Final.Shape[len(want.Final.Shape)-3:])
	image := make([]float32, shape.Voxels())
	for i := range image {
		image[i] = float32(math.Sin(0.37 * float64(i)))
	}
	got := segment(t, s, image, shape, 3, madeUp)
	want.Final.check(t, "classes", shape, got)
	counts := make([]int, 3)
	for class := range counts {
		counts[class] = bytes.Count(got, []byte{uint8(class)})
	}
	if !slices.Equal(counts, want.Counts) {
		t.Errorf("voxels by class %v, want %v", counts, want.Counts)
	}
}

// madeUp is a network with the scores x, 0.1 and x*x - 0.2.
func madeUp(scores, window []float32) {
	n := len(window)
	for i, x := range window {
		scores[i], scores[n+i], scores[2*n+i] = x, 0.1, float32(x*x)-0.2
	}
}

// segment slides over an image with a network that fills in a window's scores.
func segment(t *testing.T, s *Sliding, image []float32, shape Shape, classes int,
	network func(scores, window []float32)) []uint8 {
	t.Helper()
	b := NewBlend(s, classes)
	result := make([]uint8, len(image))
	if err := b.Start(shape, result); err != nil {
		t.Fatal(err)
	}
	window, scores := make([]float32, s.Voxels()), make([]float32, classes*s.Voxels())
	for _, origin := range s.AppendOrigins(nil, shape) {
		s.CutWindow(window, image, shape, origin)
		network(scores, window)
		if err := b.Add(origin, scores); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestGoldenBraTS compares prepared heads with those of the reference, within 1e-5 of the largest value: its sums are
// float32.
func TestGoldenBraTS(t *testing.T) {
	golden.Each(t, "vision/brats/preprocess/expected.json", func(t *testing.T, path string) {
		var cases []struct {
			Name  string
			Raw   Shape     `json:"raw_shape"`
			Box   [3][2]int `json:"crop_bbox"`
			Size  Shape     `json:"size_after_cropping"`
			Patch Shape
			Mask  int `json:"mask_voxels"`
		}
		golden.ReadJSON(t, path, &cases)
		for _, want := range cases {
			dir := filepath.Join(filepath.Dir(path), want.Name)
			var channels [][]float32
			for _, name := range []string{"CASE_0000", "CASE_0001", "CASE_0002", "CASE_0003"} {
				read, shape := stored(t, filepath.Join(dir, name+".nii.gz"))
				if slices.Reverse(shape[:]); shape != want.Raw {
					t.Fatalf("%s: shape %v, want %v", want.Name, shape, want.Raw)
				}
				values := make([]float32, shape.Voxels())
				for i := range values {
					values[i] = read(i)
				}
				channels = append(channels, values)
			}
			got, box, err := BraTS(want.Patch).PrepareImage(nil, channels, want.Raw)
			if want.Size[0] > want.Patch[0] { // the reference pads the other axes and goes on
				if !errors.Is(err, ErrVolume) || !strings.Contains(err.Error(), "want 1 to [24 24 24]") {
					t.Errorf("%s: error %v, want that it is larger than the input", want.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", want.Name, err)
			}
			if low := (Shape{want.Box[0][0], want.Box[1][0], want.Box[2][0]}); box != (Box{low, want.Size}) {
				t.Errorf("%s: box %+v, want %v of size %v", want.Name, box, want.Box, want.Size)
			}
			if inside := findHeadMask(channels, want.Raw, box); count(inside) != want.Mask {
				t.Errorf("%s: %d voxels in the head, want %d", want.Name, count(inside), want.Mask)
			}
			checkPicked(t, want.Name, got, filepath.Join(dir, "expected.npy"))
		}
	})
}

func count(set []bool) (n int) {
	for _, is := range set {
		if is {
			n++
		}
	}
	return n
}

// checkPicked compares with picked values: a NumPy file of float64 with a row of places and one of values.
func checkPicked(t *testing.T, name string, got []float32, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = data[10+binary.LittleEndian.Uint16(data[8:]):]
	n, largest, furthest := len(data)/16, 0.0, 0.0
	at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
	for i := range n {
		largest = max(largest, math.Abs(at(n+i)))
		furthest = max(furthest, math.Abs(float64(got[int(at(i))])-at(n+i)))
	}
	if n == 0 || furthest > 1e-5*largest {
		t.Errorf("%s: %d values, %v apart at most, the largest is %v", name, n, furthest, largest)
	}
}
