package unet3d

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/internal/nifti"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestTheModelOnBraTS(t *testing.T) {
	m := New().Describe().Models[1]
	if m.Name != headModel || m.LoadGenKey != "3d-unet" || m.RulesKey != "3d-unet-brats-99" ||
		!slices.Equal(m.Scenarios, []loadgen.Scenario{loadgen.SingleStream, loadgen.Offline}) {
		t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
	}
	if len(m.Datasets) != 2 || m.Datasets[0].Samples != volumes.HeadEvalCount || m.Datasets[1].Samples != 67 {
		t.Errorf("data sets %+v, want the embedded one and brats", m.Datasets)
	}
	w, err := New().Open(t.Context(), sdk.Options{Model: headModel, Precision: "int8"})
	if err != nil {
		t.Fatal(err)
	}
	p := w.Parts()[0].Model
	if in, out := p.Inputs[0].String(), p.Outputs[0].String(); in != "input float32[N,4,32,32,32]" ||
		out != "output float32[N,4,32,32,32]" {
		t.Errorf("tensors %v %v", in, out)
	}
}

// TestGoldenHeadScores scores the official script's logs as `harness score` does: a preprocessed data set, a log, a
// dtype. Where the script stops, an error says why, but for heads that fill an axis, which have a score.
func TestGoldenHeadScores(t *testing.T) {
	golden.Each(t, "vision/brats/logs/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Padded [3]int `json:"padded_shape"`
			DType  string `json:"output_dtype"`
			Line   []string
			Error  string
			Note   string
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: headModel,
			Dataset: filepath.Join(dir, "preprocessed_data"), Exhibits: 2,
			Params: map[string]string{"dtype": want.DType, "shape": fmt.Sprintf("%dx%dx%d", want.Padded[0], want.Padded[1],
				want.Padded[2])}})
		if err != nil {
			t.Fatal(err)
		}
		if want.Error != "" && !strings.Contains(want.Error, "cannot convert float NaN") {
			if err := addAll(t, s, filepath.Join(dir, "mlperf_log_accuracy.json")); !errors.Is(err, sdk.ErrData) {
				t.Errorf("error %v where the official script says %s", err, want.Error)
			}
			return
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if want.Error != "" {
			if !strings.Contains(strings.Join(got.Notes, "\n"), "fill an axis of the model's input: ") || len(got.Metrics) != 4 {
				t.Errorf("%v, notes %q", got.Metrics, got.Notes)
			}
			return
		}
		if got.OfficialText != want.Line[0] {
			t.Errorf("printed %s\nwant    %s", got.OfficialText, want.Line[0])
		}
		nowhere := strings.Contains(want.Line[0], "nan")
		notes := strings.Join(got.Notes, "\n")
		if nowhere != strings.Contains(notes, "DICE is nan") || nowhere == (len(got.Metrics) == 4) ||
			strings.Contains(want.Note, "NaN") != strings.Contains(notes, "are no number") {
			t.Errorf("metrics %v, notes %q", got.Metrics, got.Notes)
		}
	})
}

// addAll gives a log to a scorer and returns its first error.
func addAll(t *testing.T, s sdk.Scorer, path string) error {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log := mllog.NewAccuracyReader(f)
	for {
		e, err := log.Next()
		if err != nil {
			break
		}
		if err := s.Add(e); err != nil {
			return err
		}
	}
	_, err = s.Result()
	return err
}

// exported are two heads in files.
func exported(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := export.Heads(t.Context(), dir, volumes.HeadEval(), 0, 2); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHeadsReadFromFilesAreThoseDrawn(t *testing.T) {
	params := map[string]string{"shape": "32x34x33"}
	fromFiles, err := New().Open(t.Context(), sdk.Options{Model: headModel, Dataset: exported(t), Params: params})
	if err != nil {
		t.Fatal(err)
	}
	fromCode, err := New().Open(t.Context(), sdk.Options{Model: headModel, Count: 2, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	if fromFiles.Len() != 2 {
		t.Fatalf("%d heads", fromFiles.Len())
	}
	for i := range 2 {
		a, errA := fromFiles.Load(t.Context(), i)
		b, errB := fromCode.Load(t.Context(), i)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if a, b := a.([]float32), b.([]float32); len(a) != 4*32*34*33 || !slices.Equal(a, b) {
			t.Errorf("head %d: %d and %d values, or others", i, len(a), len(b))
		}
	}
}

// TestHeadWorkload takes heads through a network whose logits are its input.
func TestHeadWorkload(t *testing.T) {
	w, err := New().Open(t.Context(), sdk.Options{Model: headModel, Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	batcher, ok := w.(sdk.Batcher)
	if !ok {
		t.Fatalf("%T is no batcher", w)
	}
	for n := 1; n <= 2; n++ {
		var samples []sdk.Sample
		for i := range n {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, s)
		}
		b := sdk.NewBatch(w.Parts()[0].Model.Inputs)
		if err := batcher.Collate(samples, b); err != nil {
			t.Fatal(err)
		}
		in := b.Tensors()[0]
		if !slices.Equal(in.Shape, []int64{int64(n), 4, 32, 32, 32}) {
			t.Errorf("input of shape %v", in.Shape)
		}
		var p sdk.Payloads
		out := backend.Tensor{Name: "output", DType: backend.Float32, Shape: in.Shape, Data: in.Data}
		if err := batcher.Postprocess([]backend.Tensor{out}, samples, &p); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			image, got := samples[i].([]float32), p.At(i)
			if len(got) != 2*len(image) {
				t.Fatalf("%d bytes for %d logits", len(got), len(image))
			}
			for k := 0; k < len(image); k += 997 {
				if bits := uint16(got[2*k]) | uint16(got[2*k+1])<<8; bits != half.ToFloat16(float64(image[k])) {
					t.Fatalf("logit %d, %v, is %#04x", k, image[k], bits)
				}
			}
		}
		out.Shape = []int64{int64(n), 4, 32, 32, 31}
		if err := batcher.Postprocess([]backend.Tensor{out}, samples, &p); !errors.Is(err, errOutput) {
			t.Errorf("logits of another shape: %v", err)
		}
		if err := batcher.Postprocess(nil, samples, &p); !errors.Is(err, errOutput) {
			t.Errorf("no logits: %v", err)
		}
	}
}

// perfect are logits that say the labels of a head.
func perfect(t *testing.T, i int) []byte {
	t.Helper()
	b := headBindingOf(t)
	set := drawnHeads{volumes.HeadEval()}
	box, err := set.Box(b.recipe, i)
	if err != nil {
		t.Fatal(err)
	}
	before, err := b.recipe.PaddingBefore(box.Size)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := set.Labels(i)
	if err != nil {
		t.Fatal(err)
	}
	raw, logits := set.Shape(i), make([]float32, 4*32*32*32)
	for z := range box.Size[0] {
		for y := range box.Size[1] {
			for x := range box.Size[2] {
				label := labels[((box.Low[0]+z)*raw[1]+box.Low[1]+y)*raw[2]+box.Low[2]+x]
				logits[((int(label)*32+before[0]+z)*32+before[1]+y)*32+before[2]+x] = 1
			}
		}
	}
	data := make([]byte, 2*len(logits))
	half.Float16.Encode(data, logits)
	return data
}

func headBindingOf(t *testing.T) headBinding {
	t.Helper()
	w, err := New().Open(t.Context(), sdk.Options{Model: headModel, Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	own, ok := sdk.As[*headWorkload](w)
	if !ok {
		t.Fatalf("%T is no workload of heads", w)
	}
	return own.headBinding
}

func TestHeadScorer(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: headModel, Count: 6, Exhibits: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 0, Data: perfect(t, 0)[2:]}); !errors.Is(err, dice.ErrPayload) ||
		!errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "HGG__Plumbline_000") {
		t.Errorf("a payload that is short: %v", err)
	}
	for i := range 6 {
		data := perfect(t, i)
		if i == 2 {
			clear(data)
		}
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	// the last head has no enhancing part: five count, of which one is missed
	want := []float64{(5./6 + 5./6 + 4./5) / 3, 5. / 6, 5. / 6, 4. / 5}
	for k, m := range got.Metrics {
		if math.Abs(m.Value-want[k]) > 1e-12 {
			t.Errorf("%s is %v, want %v", m.Name, m.Value, want[k])
		}
	}
	if len(got.Exhibits) != 2 || !strings.Contains(got.Exhibits[0].Caption, "HGG__Plumbline_002, slice ") ||
		!strings.Contains(got.Exhibits[0].Caption, "DICE whole 0.000, core 0.000, enhancing 0.000") || got.Samples != 6 {
		t.Errorf("%d samples, exhibits %+v", got.Samples, got.Exhibits)
	}
}

func TestOpenHeadsReportsEveryFault(t *testing.T) {
	dir := exported(t)
	for _, c := range []struct {
		name  string
		o     sdk.Options
		class error
		want  []string
	}{
		{"no data set", sdk.Options{Dataset: t.TempDir()}, sdk.ErrData, []string{"preprocessed_files.pkl", "HGG and LGG"}},
		{"other cases", sdk.Options{Dataset: dir, Params: map[string]string{"fold": filepath.Join(dir, "none")}},
			sdk.ErrData, []string{"list of cases"}},
		{"too large a count", sdk.Options{Count: 25}, sdk.ErrUsage, []string{"count = 25", "24 heads"}},
		{"all at once", sdk.Options{Precision: "int4", Dataset: t.TempDir(), Params: map[string]string{"size": "1",
			"shape": "32x32"}}, sdk.ErrUsage, []string{`"int4"`, `"size"`, `"32x32": want DEPTHxHEIGHTxWIDTH`,
			"preprocessed_files.pkl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Model = headModel
			_, err := New().Open(t.Context(), c.o)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, c.class) {
				t.Errorf("error %q, want one of class %v", err, c.class)
			}
		})
	}
	w, err := New().Open(t.Context(), sdk.Options{Model: headModel, Dataset: dir,
		Params: map[string]string{"shape": "32x16x32"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Load(t.Context(), 1); !errors.Is(err, sdk.ErrData) ||
		!strings.Contains(err.Error(), "case 1 (HGG__Plumbline_001)") || !strings.Contains(err.Error(), "[32 16 32]") {
		t.Errorf("a head that is larger than the input: %v", err)
	}
	for _, shape := range []string{"", "1x2x3x4", "0x1x1", "ax1x1", "4096x4096x4096", "5000x1x1"} {
		if _, err := parseShape(shape); err == nil {
			t.Errorf("shape %q is taken", shape)
		}
	}
}

// TestAHeadOfZeros cannot be loaded, nor scored.
func TestAHeadOfZeros(t *testing.T) {
	dir, shape := exported(t), volumes.HeadEval().Size(1)
	base := filepath.Join(dir, "HGG", "Plumbline_001", "Plumbline_001_")
	for _, channel := range []string{"t1", "t1ce", "t2", "flair"} {
		err := nifti.WriteVolume(base+channel+".nii.gz", nifti.SimpleITKOrder, shape, [3]float64{1, 1, 1},
			make([]int16, shape[0]*shape[1]*shape[2]))
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := New().Open(t.Context(), sdk.Options{Model: headModel, Dataset: dir})
	if err != nil {
		t.Fatal(err)
	}
	_, errLoad := w.Load(t.Context(), 1)
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: headModel, Dataset: dir, Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	errScore := s.Add(mllog.AccuracyEntry{QSLIndex: 1, Data: make([]byte, 2*4*32*32*32)})
	for _, err := range []error{errLoad, errScore} {
		if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "HGG__Plumbline_001") ||
			!strings.Contains(err.Error(), "there is no head") {
			t.Errorf("error %v", err)
		}
	}
}

// large is a data set of one head of the official size.
type large struct {
	headSet
	labels []uint8
}

func (large) Len() int               { return 1 }
func (large) Name(int) string        { return "HGG__large" }
func (large) Shape(int) volume.Shape { return volume.Shape{155, 240, 240} }
func (large) CheckAmbiguity() error  { return nil }

func (large) Box(volume.HeadRecipe, int) (volume.Box, error) {
	return volume.Box{Low: volume.Shape{5, 40, 50}, Size: volume.Shape{140, 170, 140}}, nil
}

func (l large) Labels(int) ([]uint8, error) { return l.labels, nil }

// BenchmarkHeadLog reads and scores a log of one head of the official size; the bytes are those of the log, 128 MB.
func BenchmarkHeadLog(b *testing.B) {
	set := large{labels: make([]uint8, 155*240*240)}
	for i := range 200_000 {
		set.labels[len(set.labels)/2+i] = uint8(i/50) % 4
	}
	recipe := volume.BraTS(volume.Shape{224, 224, 160})
	logits := make([]float32, 4*recipe.PaddedShape().Voxels())
	for i := range logits {
		logits[i] = float32(i*2654435761%1021)/64 - 8
	}
	data := make([]byte, 2*len(logits))
	half.Float16.Encode(data, logits)
	log := fmt.Appendf(nil, `[{"seq_id":0,"qsl_idx":0,"data":"%X"}]`, data)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := newHeadScorer(headBinding{recipe: recipe}, set, accuracy.Float16, 0)
		if err != nil {
			b.Fatal(err)
		}
		e, err := mllog.NewAccuracyReader(bytes.NewReader(log)).Next()
		if err == nil {
			err = s.Add(e)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
