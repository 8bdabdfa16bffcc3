package yolo

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/internal/detection"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// boxed is sample i, of a picture of w x h pixels in a letterbox.
func boxed(l image.Letterbox, i, w, h int) *pictures.PictureSample {
	fit := image.Letterboxed{W: w, H: h, Placement: l.Place(w, h)}
	dims := [3]int64{3, int64(fit.Height()), int64(fit.Width())}
	return &pictures.PictureSample{Index: i, Fit: fit, Dims: dims, Data: make([]byte, 4*3*dims[1]*dims[2])}
}

// output is a tensor [1,rows,columns] with boxes and scores at places.
func output(rows, columns int, at map[[2]int]float32) backend.Tensor {
	values := make([]float32, rows*columns)
	for place, v := range at {
		values[place[0]*columns+place[1]] = v
	}
	return backend.Tensor{
		Name: "output0", DType: backend.Float32, Shape: []int64{1, int64(rows), int64(columns)}, Data: backend.Bytes(values),
	}
}

func rows(payload []byte) (all [][7]float32) {
	for ; len(payload) > 0; payload = payload[28:] {
		var row [7]float32
		for i := range row {
			row[i] = math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))
		}
		all = append(all, row)
	}
	return all
}

func bound(t *testing.T, params map[string]string) *yoloWorkload {
	t.Helper()
	w, err := opened(t, sdk.Options{ModelFile: onnxFile(t, 640, 640, -1), Params: params})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestPostprocess: a picture of 500 x 374 becomes one of 640 x 479, with borders of 80 and 81.
func TestPostprocess(t *testing.T) {
	out := output(84, 8400, map[[2]int]float32{
		{0, 7}: 320, {1, 7}: 320, {2, 7}: 64, {3, 7}: 32, {4 + 79, 7}: 0.5, {4 + 3, 7}: 0.25,
	})
	for rule, y := range map[string][2]float64{
		"newest": {(304 - 80) / (479. / 374), (336 - 80) / (479. / 374)},
		"8.4":    {(304 - 80) / 1.28, (336 - 80) / 1.28},
		"8.3":    {(304 - 81) / 1.28, (336 - 81) / 1.28},
	} {
		w := bound(t, map[string]string{"unletterbox": rule})
		var p sdk.Payloads
		if err := w.Postprocess([]backend.Tensor{out}, []*pictures.PictureSample{boxed(w.letterbox, 3, 500, 374)},
			&p); err != nil {
			t.Fatal(err)
		}
		got := rows(p.At(0))
		want := []float64{3, y[0] / 374, (288 / 1.28) / 500, y[1] / 374, (352 / 1.28) / 500, 0.5, 90}
		if len(got) != 1 {
			t.Fatalf("%s: rows %v, want one", rule, got)
		}
		for i, v := range got[0] {
			if math.Abs(float64(v)-want[i]) > 1e-6 {
				t.Errorf("%s: rows %v, want %v", rule, got, want)
			}
		}
		if notes := strings.Join(w.RunNotes().Notes, "\n"); !strings.Contains(notes, "shape=fixed") ||
			!strings.Contains(notes, unletterboxRules[rule].releases) {
			t.Errorf("%s: the result is told %q", rule, notes)
		}
	}
}

func TestPostprocessRefuses(t *testing.T) {
	nan := float32(math.NaN())
	exchanged := output(8400, 84, nil)
	short := output(84, 8400, nil)
	short.Data = short.Data[:8]
	cases := map[string]struct {
		out  backend.Tensor
		want []string
	}{
		"exchanged axes":    {exchanged, []string{"[1,8400,84]", "exchanged", "transpose"}},
		"end to end":        {output(300, 6, nil), []string{"end-to-end"}},
		"an objectness row": {output(85, 8400, nil), []string{"85 rows", "objectness"}},
		"too many classes":  {output(95, 8400, nil), []string{"91 classes"}},
		"two axes": {backend.Tensor{Name: "output0", DType: backend.Float32, Shape: []int64{1, 4}, Data: make([]byte, 16)},
			[]string{"[1,4]", "[batch, 4 + classes, columns]"}},
		"too few bytes": {short, []string{"[1,84,8400]"}},
		"a box that is no number": {output(84, 8400, map[[2]int]float32{{0, 9}: nan, {4, 9}: 0.9}),
			[]string{"sample 6", "column 9", "not a number"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := bound(t, nil)
			err := w.Postprocess([]backend.Tensor{c.out}, []*pictures.PictureSample{boxed(w.letterbox, 6, 64, 48)},
				new(sdk.Payloads))
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, detection.ErrOutput) {
				t.Errorf("%v is not %v", err, detection.ErrOutput)
			}
		})
	}
}

func TestFewerClassesAreTold(t *testing.T) {
	w := bound(t, nil)
	out := output(7, 8400, map[[2]int]float32{{0, 1}: 100, {1, 1}: 100, {2, 1}: 9, {3, 1}: 9, {6, 1}: 1.5})
	var p sdk.Payloads
	err := w.Postprocess([]backend.Tensor{out}, []*pictures.PictureSample{boxed(w.letterbox, 0, 640, 640)}, &p)
	if got := rows(p.At(0)); err != nil || len(got) != 1 || got[0][5] != 1.5 || got[0][6] != 3 {
		t.Errorf("%v, %v; want one of the third class, with its score above 1", got, err)
	}
	if notes := w.RunNotes().Notes; len(notes) != 2 || !strings.Contains(notes[1], "3 classes") {
		t.Errorf("notes %q", notes)
	}
}

func TestClientWork(t *testing.T) {
	if work := bound(t, nil).ClientWork(nil, nil, 1); len(work) != 2 {
		t.Errorf("%q", work)
	}
}

// echo is a session whose answer to a picture is a box of the picture's middle, with a score that its first number is.
type echo struct{ batches [][]int64 }

func (*echo) Inputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "images", DType: backend.Float32, Shape: []int64{-1, 3, -1, -1}}}
}
func (*echo) Outputs() []backend.TensorInfo { return nil }
func (*echo) Limits() backend.Limits        { return backend.Limits{} }
func (*echo) Close() error                  { return nil }

func (e *echo) Run(_ context.Context, in, out []backend.Tensor) error {
	shape := slices.Clone(in[0].Shape)
	e.batches = append(e.batches, shape)
	values := backend.View[float32](in[0].Data)
	each := len(values) / int(shape[0])
	var answers []float32
	for i := range int(shape[0]) {
		w, h := float32(shape[3]), float32(shape[2])
		answers = append(answers, w/2, 0, h/2, 0, 8, 0, 8, 0, values[i*each], 0)
	}
	out[0] = backend.Tensor{Name: "output0", DType: backend.Float32, Shape: []int64{shape[0], 5, 2},
		Data: backend.Bytes(answers)}
	return nil
}

func TestShapesRunTogetherAndAnswersKeepTheirOrder(t *testing.T) {
	w, err := opened(t, sdk.Options{ModelFile: onnxFile(t, -1, -1, -1), Params: map[string]string{"labels": "own"}})
	if err != nil {
		t.Fatal(err)
	}
	var samples []*pictures.PictureSample
	for i, size := range [][2]int{{640, 480}, {480, 640}, {640, 480}, {640, 640}, {480, 640}, {320, 240}} {
		s := boxed(w.letterbox, i, size[0], size[1])
		backend.View[float32](s.Data)[0] = 0.125 * float32(1+i)
		samples = append(samples, s)
	}
	session := &echo{}
	r, err := shapedWorkload{w}.NewRun(sdk.Sessions{"": session})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // its memory is used again
		session.batches = nil
		var p sdk.Payloads
		if err := r.Run(t.Context(), samples, &p); err != nil {
			t.Fatal(err)
		}
		for i := range samples {
			if got := rows(p.At(i)); len(got) != 1 || got[0][0] != float32(i) || got[0][5] != 0.125*float32(1+i) {
				t.Errorf("sample %d: %v", i, got)
			}
		}
		want := [][]int64{{3, 3, 480, 640}, {2, 3, 640, 480}, {1, 3, 640, 640}}
		if !slices.EqualFunc(session.batches, want, slices.Equal) {
			t.Errorf("batches %v, want %v", session.batches, want)
		}
	}
	if a, b := (shapedWorkload{w}).SampleSize(samples[0]), (shapedWorkload{w}).SampleSize(samples[5]); a != b {
		t.Errorf("pictures of one shape have the sizes %d and %d", a, b)
	}
}
