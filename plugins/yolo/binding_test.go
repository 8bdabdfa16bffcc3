package yolo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// onnxFile is a model with the input images float32 [1,3,height,width] and the output output0 float32 [1,rows,8400];
// sides below 0 are free. It has no nodes: it is only looked at.
func onnxFile(t *testing.T, height, width, rows int) string {
	t.Helper()
	return onnxFileOf(t, height, width, rows, 8400)
}

// onnxFileOf is onnxFile with another number of columns, and with metadata as pairs of names and values.
func onnxFileOf(t *testing.T, height, width, rows, columns int, metadata ...string) string {
	t.Helper()
	field := func(message []byte, number int, data []byte) []byte {
		message = binary.AppendUvarint(message, uint64(number)<<3|2)
		return append(binary.AppendUvarint(message, uint64(len(data))), data...)
	}
	varint := func(number, v int) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3), uint64(v))
	}
	value := func(name string, sides ...int) []byte {
		var shape []byte
		for _, n := range sides {
			if n < 0 {
				shape = field(shape, 1, field(nil, 2, []byte("free")))
			} else {
				shape = field(shape, 1, varint(1, n))
			}
		}
		return field(field(nil, 1, []byte(name)), 2, field(nil, 1, field(varint(1, 1), 2, shape)))
	}
	graph := field(nil, 11, value("images", 1, 3, height, width))
	graph = field(graph, 12, value("output0", 1, rows, columns))
	path := filepath.Join(t.TempDir(), "yolo.onnx")
	model := field(field(varint(1, 8), 7, graph), 8, varint(2, 17))
	for i := 0; i < len(metadata); i += 2 {
		model = field(model, 14, field(field(nil, 1, []byte(metadata[i])), 2, []byte(metadata[i+1])))
	}
	write(t, path, string(model), nil)
	return path
}

// opened is the workload on embedded scenes for a model file.
func opened(t *testing.T, o sdk.Options) (*yoloWorkload, error) {
	t.Helper()
	o.Model, o.Count = "yolo-99", 4
	w, err := New().Open(t.Context(), o)
	if err != nil {
		return nil, err
	}
	if rect, ok := sdk.As[shapedWorkload](w); ok {
		return rect.yoloWorkload, nil
	}
	fixed, _ := sdk.As[*yoloWorkload](w)
	return fixed, nil
}

func TestShapeIsThatOfTheFile(t *testing.T) {
	cases := []struct {
		height, width int
		params        map[string]string
		size          int
		rect          bool
	}{
		{640, 640, nil, 640, false},
		{320, 320, nil, 320, false},
		{-1, -1, nil, 640, true},
		{-1, -1, map[string]string{"size": "320"}, 320, true},
		{-1, -1, map[string]string{"shape": "fixed"}, 640, false},
		{-1, 640, nil, 640, false},
	}
	for _, c := range cases {
		w, err := opened(t, sdk.Options{ModelFile: onnxFile(t, c.height, c.width, 84), Params: c.params})
		if err != nil {
			t.Fatal(err)
		}
		if w.letterbox.Size != c.size || w.letterbox.Rect != c.rect {
			t.Errorf("%d x %d, %v: size %d, rect %v; want %d, %v", c.height, c.width, c.params, w.letterbox.Size,
				w.letterbox.Rect, c.size, c.rect)
		}
		side := fmt.Sprint(c.size)
		if c.rect {
			side = "N"
		}
		if got := w.file.Inputs[0].Shape; (got[2] == int64(c.size)) == c.rect {
			t.Errorf("%d x %d: input %v, want sides %s", c.height, c.width, got, side)
		}
	}
}

// TestSizeIsThatOfTheExport: if the sides are free, the file's imgsz applies unless the user sets a size.
func TestSizeIsThatOfTheExport(t *testing.T) {
	for _, c := range []struct {
		side   int
		imgsz  string
		params map[string]string
		size   int
	}{
		{-1, "[320, 320]", nil, 320}, {-1, "[320,320]", nil, 320}, {-1, "320", nil, 320}, {-1, "(416, 416)", nil, 416},
		{-1, "[ 1280 , 1280 ]", nil, 1280}, {-1, "[640, 640]", nil, 640}, {-1, "", nil, 640}, {-1, "[320, 480]", nil, 640},
		{-1, "[320, 320, 3]", nil, 640}, {-1, "[-320, -320]", nil, 640}, {-1, "[8192, 8192]", nil, 640},
		{-1, "large", nil, 640}, {-1, "[320, 320]", map[string]string{"size": "640"}, 640}, {512, "[320, 320]", nil, 512},
		{-1, "[320, 320]", map[string]string{"shape": "fixed"}, 320},
	} {
		file := onnxFileOf(t, c.side, c.side, 84, -1, "stride", "32", "imgsz", c.imgsz, "names", "{0: 'person'}")
		w, err := opened(t, sdk.Options{ModelFile: file, Params: c.params})
		if err != nil {
			t.Errorf("%q: %v", c.imgsz, err)
			continue
		}
		if w.letterbox.Size != c.size || !strings.Contains(w.notes, fmt.Sprintf("letterboxed to %d x %d", c.size, c.size)) {
			t.Errorf("sides %d, imgsz %q, %v: size %d, want %d (%s)", c.side, c.imgsz, c.params, w.letterbox.Size,
				c.size, w.notes)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	free := onnxFile(t, -1, -1, 84)
	cases := map[string]struct {
		file   string
		params map[string]string
		want   []string
	}{
		"an objectness row": {onnxFile(t, 640, 640, 85), nil, []string{"85 rows", "objectness"}},
		"100 classes":       {onnxFile(t, 640, 640, 104), nil, []string{"100 classes", "80", "labels=own"}},
		"no classes":        {onnxFile(t, 640, 640, 4), nil, []string{"4 rows", "4 + classes"}},
		"not square":        {onnxFile(t, 480, 640, 84), nil, []string{"480 x 640", "square"}},
		"rect of a square": {onnxFile(t, 640, 640, 84), map[string]string{"shape": "rect"},
			[]string{"shape", "fixed to 640 x 640"}},
		"rect of no multiple": {free, map[string]string{"size": "650"}, []string{"650", "multiple of 32"}},
		"all at once": {free, map[string]string{
			"size": "0", "shape": "wide", "unletterbox": "9", "labels": "voc", "dataset": "voc", "samples": "few",
		}, []string{`size = "0"`, `shape = "wide"`, `unletterbox = "9"`, `labels = "voc"`, `dataset = "voc"`, `"few"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := opened(t, sdk.Options{ModelFile: c.file, Params: c.params})
			sdktest.WantError(t, err, c.want...)
		})
	}
	if w, err := opened(t, sdk.Options{ModelFile: onnxFile(t, 640, 640, 104), Params: map[string]string{
		"labels": "own",
	}}); err != nil || w.classLabel(99) != 99 {
		t.Errorf("%v, want 100 classes of the data set's own", err)
	}
}

// TestFormsOfOutputs are shapes that a file or a model shows, for a picture with 8,400 places.
func TestFormsOfOutputs(t *testing.T) {
	for _, c := range []struct {
		rows, columns int64
		says          string
	}{
		{84, 8400, ""}, {6, 8400, ""}, {84, -1, ""}, {-1, -1, ""}, {0, 0, ""}, {-1, 8400, ""},
		{300, 6, "end-to-end"}, {100, 6, "end-to-end"}, {-1, 6, "end-to-end"}, {1, 6, "end-to-end"},
		{8400, 84, "exchanged"}, {8400, 6, "exchanged"},
	} {
		err := checkOutputForm(c.rows, c.columns, 8400)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("[N,%d,%d]: %v, want %q", c.rows, c.columns, err, c.says)
		}
	}
}

func TestEndToEndExportsAreRefusedAtTheOpening(t *testing.T) {
	_, err := opened(t, sdk.Options{ModelFile: onnxFileOf(t, 640, 640, 300, 6)})
	sdktest.WantError(t, err, "end-to-end form", "export the model without suppression")
	if !errors.Is(err, sdk.ErrData) {
		t.Errorf("%v is not the model's fault", err)
	}
}
