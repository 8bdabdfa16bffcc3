package kitti3d

import (
	"encoding/hex"
	"math"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected contains the output of the official script, or the reason why it stopped.
type expected struct {
	Error  string
	Stdout []string
	Result *struct {
		Pedestrian, Cyclist, Car []float64
		Total                    float64
	}
}

type trueFrame struct {
	Image      int `json:"image_idx"`
	Names      []string
	Location   [][3]float32
	Dimensions [][3]float32
	RotationY  []float32 `json:"rotation_y"`
	Difficulty []int
}

func (f trueFrame) frame() Frame {
	out := Frame{Image: f.Image}
	for i, name := range f.Names {
		out.Objects = append(out.Objects, TrueObject{
			Name: name, Box: Box{f.Location[i], f.Dimensions[i], f.RotationY[i]}, Difficulty: f.Difficulty[i],
		})
	}
	return out
}

func TestGoldenLogs(t *testing.T) {
	golden.Each(t, "vision/pointpainting/logs/*/expected.json", func(t *testing.T, path string) {
		var want expected
		golden.ReadJSON(t, path, &want)
		var truth []trueFrame
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "truth.json"), &truth)
		var log []struct {
			Index int `json:"qsl_idx"`
			Data  string
		}
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "mlperf_log_accuracy.json"), &log)
		var frames []Frame
		for _, f := range truth {
			frames = append(frames, f.frame())
		}
		s := New(frames)
		var failed error
		for _, e := range log {
			payload, err := hex.DecodeString(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Add(e.Index, payload); err != nil {
				failed = err
				break
			}
		}
		got, err := s.Result()
		if failed == nil {
			failed = err
		}
		if (failed != nil) != (want.Result == nil) {
			t.Fatalf("%v, want %q", failed, want.Error)
		}
		if failed != nil {
			return
		}
		r := want.Result
		for i, v := range []float64{r.Pedestrian[0], r.Cyclist[0], r.Car[0]} {
			if !near(got.Classes[i], v, 1e-9) {
				t.Errorf("%s: %v, want %v", Classes()[i], got.Classes[i], v)
			}
		}
		if !near(got.Total, r.Total, 1e-9) || got.Text() != want.Stdout[0] {
			t.Errorf("%s, want %s", got.Text(), want.Stdout[0])
		}
	})
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

func TestGoldenOverlaps(t *testing.T) {
	golden.Each(t, "vision/pointpainting/rotated_iou.json", func(t *testing.T, path string) {
		var cases []struct {
			Name string
			A, B [7]float32
			IoU  float64 `json:"iou3d"`
			BEV  float64 `json:"bev_overlap"`
		}
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			a, b := box(c.A), box(c.B)
			if got := sharedArea(a.groundCorners(), b.groundCorners()); math.Abs(got-c.BEV) > 2e-6*max(a.area(), b.area()) {
				t.Errorf("%s: the grounds share %v, want %v", c.Name, got, c.BEV)
			}
			if got := Overlap(a, b); math.Abs(float64(got)-c.IoU) > 2e-6 {
				t.Errorf("%s: overlap %v, want %v", c.Name, got, c.IoU)
			}
		}
	})
}

func box(v [7]float32) Box {
	return Box{Location: [3]float32(v[0:3]), Dimensions: [3]float32(v[3:6]), RotationY: v[6]}
}

func (b Box) area() float64 { return float64(b.Dimensions[0]) * float64(b.Dimensions[2]) }
