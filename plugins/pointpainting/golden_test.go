package pointpainting

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/kitti3d"
	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// value is a number, which JSON has no word for where it is NaN.
type value float32

func (v *value) UnmarshalJSON(text []byte) error {
	if string(text) == `"nan"` || string(text) == "NaN" {
		*v = value(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float32)(v))
}

func TestGoldenSuppression(t *testing.T) {
	golden.Each(t, "vision/pointpainting/rotated_nms.json", func(t *testing.T, path string) {
		var cases []struct {
			Name   string
			Rows   [][rowValues]value
			Boxes  [][7]value
			Labels []int
			Scores []float32
		}
		golden.ReadJSON(t, path, &cases)
		o, b := &networkBinding{MinScore: 0.1, MaxOverlap: 0.25, MaxBoxes: 500}, new(frameBoxes)
		for _, c := range cases {
			var rows []float32
			nan := false
			for _, row := range c.Rows {
				for _, v := range row {
					rows, nan = append(rows, float32(v)), nan || v != v
				}
			}
			b.resetBoxes()
			if err := b.chooseBoxes(o, rows); (err != nil) != nan {
				t.Errorf("%s: %v", c.Name, err)
			}
			if nan { // which the reference keeps
				continue
			}
			if len(b.found) != len(c.Boxes) {
				t.Errorf("%s: %d boxes, want %d", c.Name, len(b.found), len(c.Boxes))
				continue
			}
			for i, f := range b.found {
				got := [7]float32{f.x, f.y, f.z, f.width, f.length, f.height, f.angle}
				for k, want := range c.Boxes[i] {
					if math.Abs(float64(got[k])-float64(want)) > 1e-6 {
						t.Errorf("%s: box %d is %v, want %v", c.Name, i, got, c.Boxes[i])
						break
					}
				}
				if f.class != c.Labels[i] || f.score != c.Scores[i] {
					t.Errorf("%s: box %d has class %d, score %v, want %d, %v", c.Name, i, f.class, f.score, c.Labels[i],
						c.Scores[i])
				}
			}
		}
	})
}

func TestGoldenRatio(t *testing.T) {
	golden.Each(t, "vision/pointpainting/rotated_iou.json", func(t *testing.T, path string) {
		var cases []struct {
			Name  string
			A, B  [7]float32 // x, y, z, length, height, width, angle
			Ratio *float64   `json:"nms_ratio"`
		}
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			ground := func(v [7]float32) kitti3d.GroundRect {
				return kitti3d.Box{
					Location: [3]float32{v[0], 0, v[2]}, Dimensions: [3]float32{v[3], 0, v[5]}, RotationY: v[6],
				}.GroundRect()
			}
			a, b := ground(c.A), ground(c.B)
			if got := float64(overlapRatio(&a, &b)); c.Ratio != nil && math.Abs(got-*c.Ratio) > 2e-5 {
				t.Errorf("%s: ratio %v, want %v", c.Name, got, *c.Ratio)
			}
		}
	})
}

func TestGoldenCameraBoxes(t *testing.T) {
	golden.Each(t, "vision/pointpainting/camera_boxes.json", func(t *testing.T, path string) {
		var c struct {
			Calib  map[string]waymo.Matrix
			Shapes [waymo.Cameras][2]int `json:"image_shapes"`
			Lidar  [][7]float32
			Camera [][7]float32
			BBox   [][4]float32
		}
		golden.ReadJSON(t, path, &c)
		f := &waymo.Frame{Image: 1000123, Calibration: waymo.CameraCalibration{R0: c.Calib["R0_rect"]}}
		for k, shape := range c.Shapes {
			f.Shapes[k] = waymo.PictureShape{Height: shape[0], Width: shape[1]}
			f.Calibration.P[k] = c.Calib["P"+strconv.Itoa(k)]
			f.Calibration.Tr[k] = c.Calib["Tr_velo_to_cam_"+strconv.Itoa(k)]
		}
		b := new(frameBoxes)
		for i, v := range c.Lidar {
			b.found = append(b.found, lidarBox{v[0], v[1], v[2], v[3], v[4], v[5], v[6], i % classes, 0.5})
		}
		values := make([]float32, 14*len(c.Lidar))
		if _, err := binary.Decode(b.encodePayload(f), binary.LittleEndian, values); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Camera {
			got := values[14*i:][:14]
			location, dimensions := want[:3], want[3:6]
			whole := slices.Concat(dimensions, location, want[6:], c.BBox[i][:], []float32{float32(i % classes), 0.5, 1000123})
			for k, v := range whole {
				if math.Abs(float64(got[k]-v)) > 1e-3*max(1, math.Abs(float64(v))) {
					t.Errorf("box %d: %v, want %v", i, got, whole)
					break
				}
			}
		}
	})
}

// TestGoldenLogs scores the official script's cases through the data set's own files.
func TestGoldenLogs(t *testing.T) {
	golden.Each(t, "vision/pointpainting/logs/*/waymo_infos_val.pkl", func(t *testing.T, path string) {
		dir := filepath.Dir(path)
		var want struct {
			Stdout []string
			Result *struct{ Total float64 }
		}
		golden.ReadJSON(t, filepath.Join(dir, "expected.json"), &want)
		if want.Result == nil {
			t.Skip("the official script stops; accuracy/kitti3d tests that its scorer does, too")
		}
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if v := got.Metrics[0].Value * 100; math.Abs(v-want.Result.Total) > 1e-9*max(1, v) {
			t.Errorf("mAP %v, want %v", v, want.Result.Total)
		}
		if !slices.Contains(want.Stdout, got.OfficialText) {
			t.Logf("the official line is %s, ours %s", want.Stdout[0], got.OfficialText)
		}
	})
}

// TestMissingFrames scores a log that lacks a frame, by either rule.
func TestMissingFrames(t *testing.T) {
	for word, want := range map[string]string{"error": "1 of 2 frames have no answer", "empty": ""} {
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 2, Params: map[string]string{"missing": word}})
		if err != nil {
			t.Fatal(err)
		}
		b := new(frameBoxes)
		err = s.Add(mllog.AccuracyEntry{Data: b.encodePayload(streets.Eval().Frame(0))})
		if err != nil {
			t.Fatal(err)
		}
		score, err := s.Result()
		switch notes := strings.Join(score.Notes, "\n"); {
		case want != "":
			sdktest.WantError(t, err, want)
		case err != nil || score.Metrics[0].Value != 0 || !strings.Contains(notes, "1 frames are not in the log"):
			t.Errorf("%+v, %v", score, err)
		}
	}
}
