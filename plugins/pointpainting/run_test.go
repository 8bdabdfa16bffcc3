package pointpainting

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
	"github.com/plumbline-ml/plumbline/preprocess/lidar"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// network is a session that answers what its function makes of the inputs.
type network struct {
	backend.Session
	inputs int
	answer func(in []backend.Tensor) (values []float32, shape []int64)
	spoil  func(out *backend.Tensor)
	runs   int
	inUse  int // outputs that were not released
}

func (n *network) Inputs() []backend.TensorInfo {
	all := make([]backend.TensorInfo, n.inputs)
	for i := range all {
		all[i].Name = fmt.Sprint("input ", i)
	}
	return all
}

func (n *network) Run(_ context.Context, in, out []backend.Tensor) error {
	if len(in) != n.inputs {
		return fmt.Errorf("%d inputs, want %d", len(in), n.inputs)
	}
	for i, x := range in {
		if x.Name != fmt.Sprint("input ", i) || int64(len(x.Data)) != backend.Elements(x.Shape)*int64(x.DType.Size()) {
			return fmt.Errorf("input %d is %q %v%v of %d bytes", i, x.Name, x.DType, x.Shape, len(x.Data))
		}
	}
	n.runs++
	n.inUse++
	values, shape := n.answer(in)
	out[0] = backend.Tensor{
		Name: "output", DType: backend.Float32, Shape: shape, Data: backend.Bytes(values), Free: func() { n.inUse-- },
	}
	if n.spoil != nil {
		n.spoil(&out[0])
	}
	return nil
}

// redIsPerson is a segmentation for which reddish pixels are persons, all others road.
func redIsPerson() *network {
	return &network{inputs: 1, answer: func(in []backend.Tensor) ([]float32, []int64) {
		levels, shape := backend.View[float32](in[0].Data), slices.Clone(in[0].Shape)
		n := int(shape[2] * shape[3])
		logits := make([]float32, lidar.Classes*n)
		for i := range n {
			if levels[i] > levels[n+i]+1 {
				logits[11*n+i] = 20
			} else {
				logits[i] = 20
			}
		}
		shape[1] = lidar.Classes
		return logits, shape
	}}
}

// firstIsBox is a detector that sees a pedestrian where the first point of the first pillar is.
func firstIsBox() *network {
	return &network{inputs: 3, answer: func(in []backend.Tensor) ([]float32, []int64) {
		point := backend.View[float32](in[0].Data)
		return []float32{point[0], point[1], point[2], 0.8, 0.9, 1.7, 0.25, 0.75, 0, 0, 1}, []int64{1, rowValues}
	}}
}

// values are the parameters of the embedded networks, with some changed.
func values(changes ...string) *option.Params {
	all := map[string]string{"range": "-12,-12,-2,12,12,4", "voxel": "0.3,0.3,6", "points": "16", "pillars": "2000",
		"score": "0.1", "overlap": "0.25", "boxes": "500", "load": "memory"}
	for i := 0; i < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	return option.NewParams(all)
}

func newWorkload(t *testing.T, changes ...string) *frameWorkload {
	t.Helper()
	p := values(changes...)
	w := &frameWorkload{networkBinding: bindNetworks(p), set: cacheFrames(streets.Eval())}
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return w
}

// rows are those of a payload.
func rows(t *testing.T, payload []byte) [][14]float32 {
	t.Helper()
	all := make([][14]float32, len(payload)/(4*14))
	if n, err := binary.Decode(payload, binary.LittleEndian, all); err != nil || n != len(payload) {
		t.Fatalf("a payload of %d bytes: %v", len(payload), err)
	}
	return all
}

// TestRun takes frames through networks, with what was read before and with what is read in time.
func TestRun(t *testing.T) {
	var payloads [][]byte
	for _, load := range []string{"memory", "files"} {
		w, s, d := newWorkload(t, "load", load), redIsPerson(), firstIsBox()
		r := newFrameRun(w, sdk.Sessions{segmentationPart: s, detectorPart: d})
		var p sdk.Payloads
		for i := range 2 {
			f, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Run(t.Context(), []*frameSample{f}, &p); err != nil {
				t.Fatal(err)
			}
		}
		if s.runs != 2*waymo.Cameras || d.runs != 2 || s.inUse+d.inUse != 0 || p.Len() != 2 {
			t.Errorf("%d and %d runs, %d outputs not released, %d payloads", s.runs, d.runs, s.inUse+d.inUse, p.Len())
		}
		payloads = append(payloads, bytes.Clone(p.At(1)))
	}
	if !bytes.Equal(payloads[0], payloads[1]) {
		t.Error("what is read in time gives other boxes")
	}
	found := rows(t, payloads[0])
	if len(found) != 1 || found[0][12] != 0.75 || found[0][13] != float32(streets.Eval().Frame(1).Image) ||
		[3]float32(found[0][:]) != [3]float32{0.9, 1.7, 0.8} {
		t.Errorf("found %v", found)
	}
	w := newWorkload(t, "load", "files")
	if notes := strings.Join(w.RunNotes().Notes, "\n"); !strings.Contains(notes, "within the timed run") {
		t.Error(notes)
	}
}

// TestNoPoint: without a point in the space the detector is not run, and a row says so.
func TestNoPoint(t *testing.T) {
	w, s, d := newWorkload(t), redIsPerson(), firstIsBox()
	f, err := w.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	f.points = []float32{nan, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, -2, 0, 0}
	var p sdk.Payloads
	if err := newFrameRun(w, sdk.Sessions{segmentationPart: s, detectorPart: d}).Run(t.Context(), []*frameSample{f},
		&p); err != nil {
		t.Fatal(err)
	}
	want := [14]float32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, float32(f.frame.Image)}
	if found := rows(t, p.At(0)); d.runs != 0 || len(found) != 1 || found[0] != want {
		t.Errorf("%d runs of the detector, found %v", d.runs, found)
	}
	if notes := strings.Join(w.RunNotes().Notes, "\n"); !strings.Contains(notes, "1 frames had no point in the space") {
		t.Error(notes)
	}
}

// aPicture is a source with another picture of camera 2.
type aPicture struct {
	waymo.FrameSource
	data []byte
}

func (s aPicture) ReadPicture(i, camera int) ([]byte, error) {
	if camera == 2 {
		return s.data, nil
	}
	return s.FrameSource.ReadPicture(i, camera)
}

// TestGreyPicture: it becomes RGB, and a note says so, once.
func TestGreyPicture(t *testing.T) {
	for _, c := range []struct {
		picture image.Image
		noted   bool
	}{{image.NewGray(image.Rect(0, 0, 96, 64)), true}, {image.NewRGBA(image.Rect(0, 0, 96, 64)), false}} {
		var data bytes.Buffer
		if err := jpeg.Encode(&data, c.picture, nil); err != nil {
			t.Fatal(err)
		}
		w := newWorkload(t)
		w.set = aPicture{w.set, data.Bytes()}
		for i := range 2 {
			s, err := w.Load(t.Context(), i)
			if err != nil || len(s.pictures[2].Pix) != 3*96*64 {
				t.Fatal(err)
			}
		}
		notes, name := strings.Join(w.RunNotes().Notes, "\n"), w.set.Frame(0).PictureName(2)
		if c.noted != strings.Contains(notes, "not RGB were converted, on which the reference stops: "+name) {
			t.Errorf("%T: notes %q", c.picture, notes)
		}
	}
}

func TestWarmSampleFits(t *testing.T) {
	w, s, d := newWorkload(t), redIsPerson(), firstIsBox()
	var p sdk.Payloads
	err := newFrameRun(w, sdk.Sessions{segmentationPart: s, detectorPart: d}).Run(t.Context(),
		[]*frameSample{w.WarmSample()}, &p)
	if err != nil || s.runs != waymo.Cameras || d.runs != 1 {
		t.Errorf("%v, %d and %d runs", err, s.runs, d.runs)
	}
}

// TestRunReportsWhatTheNetworksGive: each wrong output is an error that says which sample and network.
func TestRunReportsWhatTheNetworksGive(t *testing.T) {
	detected := func(change func(row []float32)) func(out *backend.Tensor) {
		return func(out *backend.Tensor) { change(backend.View[float32](out.Data)) }
	}
	for name, c := range map[string]struct {
		part  string
		spoil func(out *backend.Tensor)
		want  string
	}{
		"classes":  {segmentationPart, func(out *backend.Tensor) { out.Shape[1] = 21 }, "[1,21,64,96], want [1,19,64,96]"},
		"size":     {segmentationPart, func(out *backend.Tensor) { out.Shape[2] /= 2 }, "a picture of 96 x 64 pixels"},
		"bytes":    {segmentationPart, func(out *backend.Tensor) { out.Data = out.Data[:8] }, "8 bytes, want 466944"},
		"ranks":    {detectorPart, func(out *backend.Tensor) { out.Shape = []int64{1, 1, rowValues} }, "want [N,11]"},
		"values":   {detectorPart, func(out *backend.Tensor) { out.Shape[1] = 10 }, "its shape is [1,10], want [N,11]"},
		"type":     {detectorPart, func(out *backend.Tensor) { out.DType = backend.Int32 }, "int32"},
		"score":    {detectorPart, detected(func(row []float32) { row[8] = 1.5 }), "row 0 has the score 1.5, want 0 to 1"},
		"no score": {detectorPart, detected(func(row []float32) { row[8] = float32(math.NaN()) }), "row 0 has the score NaN"},
		"box":      {detectorPart, detected(func(row []float32) { row[3] = float32(math.Inf(1)) }), "has +Inf at place 3"},
	} {
		w, networks := newWorkload(t), map[string]*network{segmentationPart: redIsPerson(), detectorPart: firstIsBox()}
		networks[c.part].spoil = c.spoil
		s := sdk.Sessions{segmentationPart: networks[segmentationPart], detectorPart: networks[detectorPart]}
		f, err := w.Load(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		err = newFrameRun(w, s).Run(t.Context(), []*frameSample{f}, &sdk.Payloads{})
		if !errors.Is(err, errOutput) || networks[c.part].inUse != 0 {
			t.Errorf("%s: %v, %d outputs not released", name, err, networks[c.part].inUse)
			continue
		}
		sdktest.WantError(t, err, c.want, "sample 3 (image ", c.part)
	}
}

// TestMostBoxes keeps the best of all classes.
func TestMostBoxes(t *testing.T) {
	var all []float32
	for i := range 9 {
		row := []float32{float32(4 * i), 0, 0, 1, 1, 1, 0, 0, 0, 0, 1}
		row[7+i%3] = 0.2 + 0.05*float32(i)
		all = append(all, row...)
	}
	b := new(frameBoxes)
	if err := b.chooseBoxes(&networkBinding{MinScore: 0.1, MaxOverlap: 0.25, MaxBoxes: 4}, all); err != nil {
		t.Fatal(err)
	}
	for i, f := range b.found {
		if want := float32(4 * (8 - i)); f.x != want {
			t.Errorf("box %d lies at %v, want %v", i, f.x, want)
		}
	}
	if len(b.found) != 4 {
		t.Errorf("%d boxes", len(b.found))
	}
}

func TestParameters(t *testing.T) {
	for _, c := range [][3]string{
		{"range", "1,2,3", "want 6 numbers"}, {"range", "0,0,0,1,1,x", "want 6 numbers"},
		{"range", "12,-12,-2,-12,12,4", "want more than 0"}, {"voxel", "0.3,0.3,3", "2 cells above one another, want 1"},
		{"voxel", "0,0.3,6", "want more than 0"}, {"voxel", "1e-6,1e-6,6", "want"}, {"points", "0", "points"},
		{"pillars", "-1", "pillars"}, {"score", "2", "score"}, {"load", "disk", "load"},
	} {
		p := values(c[0], c[1])
		bindNetworks(p)
		sdktest.WantError(t, p.Err(), c[2])
	}
}

// TestFiles gives the parts files of other networks.
func TestFiles(t *testing.T) {
	read := func(name string) backend.Model {
		data, err := modelFiles.ReadFile("model/" + name + "_fp32.onnx")
		if err != nil {
			t.Fatal(err)
		}
		return backend.Model{Name: name + ".onnx", Bytes: data}
	}
	s, d := read(segmentationPart), read(detectorPart)
	for name, c := range map[string]struct {
		segmentation, detector backend.Model
		want                   string
	}{
		"right": {s, d, ""}, "exchanged": {d, s, "the model files are exchanged"},
		"segmentation twice": {s, s, "the detector (segmentation.onnx) has 1 inputs, want 3"},
		"detector twice":     {d, d, "the segmentation (detector.onnx) has 3 inputs, want 1"},
		"no model":           {s, backend.Model{Bytes: []byte("?")}, ""},
	} {
		files := map[string]backend.Model{segmentationPart: c.segmentation, detectorPart: c.detector}
		before := maps.Clone(files)
		if err := checkFiles(files); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		b := bindNetworks(values())
		if made := b.completeModels(files); len(made[detectorPart].Inputs) != 3 || len(before[detectorPart].Inputs) != 0 {
			t.Errorf("%s: %+v", name, made)
		}
	}
}
