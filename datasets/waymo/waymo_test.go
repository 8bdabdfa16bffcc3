package waymo

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
	"github.com/plumbline-ml/plumbline/internal/draw"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenIndex reads the indices of the official scorer's cases, which Python wrote.
func TestGoldenIndex(t *testing.T) {
	golden.Each(t, "vision/pointpainting/logs/*/truth.json",
		func(t *testing.T, path string) {
			var want []struct {
				Image      int `json:"image_idx"`
				Names      []string
				Location   [][3]float32
				Dimensions [][3]float32
				BBox       [][4]float32
				RotationY  []float32 `json:"rotation_y"`
				Difficulty []int
			}
			golden.ReadJSON(t, path, &want)
			s, err := Open(filepath.Dir(path), FrameOptions{LabelsOnly: true})
			if err != nil || s.Len() != len(want) {
				t.Fatalf("%v, want %d frames", err, len(want))
			}
			for i, w := range want {
				var objects []FrameObject
				for k, name := range w.Names {
					objects = append(objects, FrameObject{name, w.Location[k], w.Dimensions[k], w.RotationY[k], w.BBox[k],
						w.Difficulty[k]})
				}
				if f := s.Frame(i); f.Image != w.Image || !reflect.DeepEqual(f.Objects, objects) {
					t.Errorf("frame %d: %+v, want %+v", i, f.Objects, objects)
				}
			}
		})
}

// frame is one with everything.
func frame(image int) *Frame {
	f := &Frame{Image: image, PointsFile: "training/velodyne/" + strconv.Itoa(image) + ".bin", Objects: []FrameObject{
		{"Pedestrian", [3]float32{1, 2, 3}, [3]float32{0.5, 1.75, 0.625}, -0.5, [4]float32{1, 2, 3, 4}, 0},
		{"Vélo", [3]float32{4, 5, 6}, [3]float32{1.5, 1.75, 0.625}, 0.5, [4]float32{5, 6, 7, 8}, -1},
	}}
	identity := Matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	f.Calibration.R0 = identity
	for k := range Cameras {
		f.Calibration.P[k], f.Calibration.Tr[k] = identity, identity
		f.Calibration.P[k][3] = float32(k)
		f.Shapes[k] = PictureShape{4, 6 + k}
	}
	return f
}

var somePoints = []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, float32(math.Inf(1))}

// write writes a data set of frames, whole.
func write(t testing.TB, dir string, frames ...*Frame) {
	t.Helper()
	put := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var index bytes.Buffer
	if err := WriteIndex(&index, frames); err != nil {
		t.Fatal(err)
	}
	put(IndexName, index.Bytes())
	for _, f := range frames {
		put(f.PointsFile, EncodePoints(somePoints))
		for k := range Cameras {
			c := draw.NewCanvas(f.Shapes[k].Width, f.Shapes[k].Height)
			put(f.PictureName(k), c.JPEG(90))
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	frames := []*Frame{frame(1000123), frame(7), frame(MaxImage)}
	frames[1].Objects = nil
	write(t, filepath.Join(dir, "kitti_format"), frames...)
	s, err := Open(dir, FrameOptions{})
	if err != nil || s.Len() != 3 || s.Warnings() != nil {
		t.Fatal(err)
	}
	for i, f := range frames {
		points, err := s.ReadPoints(i)
		if !reflect.DeepEqual(s.Frame(i), f) || err != nil || !reflect.DeepEqual(points, somePoints) {
			t.Errorf("frame %d: %+v, points %v, %v", i, s.Frame(i), points, err)
		}
		if data, err := s.ReadPicture(i, 4); err != nil || !bytes.HasPrefix(data, []byte("\xff\xd8")) {
			t.Error(err)
		}
	}
	if s, err = Open(dir, FrameOptions{Count: 2}); err != nil || s.Len() != 2 {
		t.Error(err)
	}
}

func TestOtherSize(t *testing.T) {
	dir, f := t.TempDir(), frame(5)
	write(t, dir, f)
	f.Shapes[3] = PictureShape{886, 1920}
	var index bytes.Buffer
	if err := errors.Join(WriteIndex(&index, []*Frame{f}),
		os.WriteFile(filepath.Join(dir, IndexName), index.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, FrameOptions{})
	if err != nil || len(s.Warnings()) != 1 || !strings.Contains(s.Warnings()[0],
		"training/image_3/5.jpg has 9 x 4 pixels, the index says 1920 x 886") {
		t.Error(err, s.Warnings())
	}
}

// TestFaults changes a data set of two frames, and wants each fault with its frame and file.
func TestFaults(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		change func(f *Frame)
		files  func(dir string) error
		want   []string
	}{
		"number too large": {
			change: func(f *Frame) { f.Image = 1 << 24 },
			want:   []string{"image.image_idx is 16777216, want 0 to 16777215"},
		},
		"twice": {
			change: func(f *Frame) { f.Image = 1 },
			want:   []string{"frame 1 (image 1): image.image_idx is that of frame 0"},
		},
		"points outside": {
			change: func(f *Frame) { f.PointsFile = "../2.bin" },
			want:   []string{`velodyne_path is "../2.bin"`},
		},
		"no size": {
			change: func(f *Frame) { f.Shapes[2] = PictureShape{} },
			want:   []string{"image.camera[2].image_shape"},
		},
		"calibration is NaN": {
			change: func(f *Frame) { f.Calibration.Tr[1][5] = nan },
			want:   []string{"calib.Tr_velo_to_cam_1[5] is NaN"},
		},
		"zero row": {
			change: func(f *Frame) { copy(f.Calibration.P[0][8:], make([]float32, 4)) },
			want:   []string{"calib.P0 has zeros alone in row 2"},
		},
		"object is NaN": {
			change: func(f *Frame) { f.Objects[1].Location[0] = nan },
			want:   []string{"annos.location[3] is NaN"},
		},
		"two at once": {
			change: func(f *Frame) { f.Objects[0].RotationY = nan; f.Calibration.R0[0] = nan },
			want:   []string{"annos.rotation_y[0] is NaN", "calib.R0_rect[0] is NaN", "2 faults"},
		},
		"files": {
			files: func(dir string) error {
				return errors.Join(os.Remove(filepath.Join(dir, "training/image_4/2.jpg")),
					os.WriteFile(filepath.Join(dir, "training/image_0/1.jpg"), []byte("no picture"), 0o600),
					os.Truncate(filepath.Join(dir, "training/velodyne/1.bin"), 47),
					os.Remove(filepath.Join(dir, "training/velodyne/2.bin")))
			},
			want: []string{
				"frame 0 (image 1): training/velodyne/1.bin: 47 bytes, want points of 24",
				"frame 0 (image 1): training/image_0/1.jpg: the file starts with",
				"frame 1 (image 2): training/image_4/2.jpg: there is no such file",
				"frame 1 (image 2): training/velodyne/2.bin: there is no such file", "4 faults",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, frames := t.TempDir(), []*Frame{frame(1), frame(2)}
			write(t, dir, frames...)
			if c.change != nil {
				c.change(frames[1])
				var index bytes.Buffer
				if err := errors.Join(WriteIndex(&index, frames),
					os.WriteFile(filepath.Join(dir, IndexName), index.Bytes(), 0o600)); err != nil {
					t.Fatal(err)
				}
			} else if err := c.files(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir, FrameOptions{})
			if !errors.Is(err, ErrDataset) {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
		})
	}
}

// TestIndexFaults reads indices in which something is missing or of another type.
func TestIndexFaults(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f pickle.Dict) any
		want   string
	}{
		"no frame": {func(pickle.Dict) any { return int64(1) }, "frame 0: a frame is a int64, want a dict"},
		"no image": {func(f pickle.Dict) any { delete(f, "image"); return f }, "image is missing"},
		"no difficulty": {func(f pickle.Dict) any {
			delete(f["annos"].(pickle.Dict), "difficulty")
			return f
		}, "annos.difficulty is missing"},
		"no P3": {func(f pickle.Dict) any { delete(f["calib"].(pickle.Dict), "P3"); return f }, "calib.P3 is missing"},
		"3 x 4": {func(f pickle.Dict) any {
			f["calib"].(pickle.Dict)["P3"] = toFloatArray(make([]float32, 12), 3, 4)
			return f
		}, "calib.P3 has the shape [3 4], want [4 4]"},
		"fewer angles": {func(f pickle.Dict) any {
			f["annos"].(pickle.Dict)["rotation_y"] = toFloatArray(make([]float32, 1), 1)
			return f
		}, "annos.rotation_y has 1 numbers, want 2"},
		"names as numbers": {func(f pickle.Dict) any {
			f["annos"].(pickle.Dict)["name"] = toFloatArray(make([]float32, 2), 2)
			return f
		}, "annos.name"},
	} {
		data, err := pickle.Write(&pickle.List{Items: []any{c.change(frame(3).toPickle())}})
		if err != nil {
			t.Fatal(err)
		}
		var faults []string
		x := indexReader{addFault: func(_ int, text string) { faults = append(faults, "frame 0: "+text) }}
		if err := x.readPickle(data); err != nil || !strings.Contains(strings.Join(faults, "\n"), c.want) {
			t.Errorf("%s: %v, %q, want %q", name, err, faults, c.want)
		}
	}
}

func TestNoIndex(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, FrameOptions{}); !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	path := filepath.Join(dir, IndexName)
	for data, want := range map[string]string{
		"\x80\x04]." /* no frame */ : "it lists no frame", "\x80\x04}.": "want a list of frames",
		"\x80\x04cposix\nsystem\n.": "posix.system", "": "truncated",
	} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, FrameOptions{}); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
	if _, err := Open(path, FrameOptions{}); err == nil || !strings.Contains(err.Error(), "it is a file") {
		t.Error(err)
	}
}

func FuzzIndex(f *testing.F) {
	var index bytes.Buffer
	if err := WriteIndex(&index, []*Frame{frame(1)}); err != nil {
		f.Fatal(err)
	}
	f.Add(index.Bytes())
	f.Add([]byte("\x80\x04](}}e."))
	f.Fuzz(func(t *testing.T, data []byte) {
		faults := 0
		x := indexReader{addFault: func(int, string) { faults++ }}
		if err := x.readPickle(data); err != nil || faults > 0 {
			return
		}
		for i, frame := range x.frames {
			if frame.Image < 0 || frame.Image > MaxImage {
				t.Errorf("frame %d has the image %d", i, frame.Image)
			}
		}
		var again bytes.Buffer
		if err := WriteIndex(&again, x.frames); err != nil {
			t.Fatal(err)
		}
		y := indexReader{addFault: func(_ int, text string) { t.Error(text) }}
		if err := y.readPickle(again.Bytes()); err != nil || !reflect.DeepEqual(x.frames, y.frames) {
			t.Errorf("written and read again: %v", err)
		}
	})
}
