package rnnt

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestTheModel(t *testing.T) {
	m := New().Describe().Models[0]
	want := []loadgen.Scenario{loadgen.SingleStream, loadgen.Server, loadgen.Offline}
	if m.Name != "rnnt" || m.LoadGenKey != "rnnt" || m.RulesKey != "rnnt" || !slices.Equal(m.Scenarios, want) {
		t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
	}
	if len(m.Datasets) != 2 || m.Datasets[0].Samples != speech.EvalCount || m.Datasets[1].Samples != 2513 {
		t.Errorf("data sets %+v, want the embedded one and librispeech", m.Datasets)
	}
}

// published is the beginning of the embedded data set as the official scripts prepare LibriSpeech.
func published(t *testing.T, clips int) string {
	t.Helper()
	dir := t.TempDir()
	if err := export.Speech(t.Context(), dir, speech.Eval(), 0, clips); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestClipsReadFromFilesAreThoseDrawn(t *testing.T) {
	fromFiles, err := New().Open(t.Context(), sdk.Options{Dataset: published(t, 3), Params: map[string]string{
		"features": "untimed",
	}})
	if err != nil {
		t.Fatal(err)
	}
	fromCode, err := New().Open(t.Context(), sdk.Options{Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		a, errA := fromFiles.Load(t.Context(), i)
		b, errB := fromCode.Load(t.Context(), i)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		untimed, timed := a.(*clipSample), b.(*clipSample)
		want, err := audio.NewRNNT().Append(nil, timed.waveform)
		if err != nil {
			t.Fatal(err)
		}
		if untimed.waveform != nil || !slices.Equal(untimed.features, want) || untimed.frameCount() != timed.frameCount() {
			t.Errorf("clip %d: other features, or %d frames and %d", i, untimed.frameCount(), timed.frameCount())
		}
	}
}

func TestInform(t *testing.T) {
	w := &speechWorkload{runSettings: *reference()}
	info := sdk.WorkloadInfo{}
	if w.AddInfo(&info); len(info.OpenReasons) != 0 || info.BackendInfo["encoder_batches"] == "" {
		t.Errorf("a run by the rules: %+v", info)
	}
	w.UntimedFeatures, w.BindByPosition = true, true
	if w.AddInfo(&info); len(info.OpenReasons) != 1 || !strings.Contains(info.OpenReasons[0], "untimed") ||
		!strings.Contains(info.BackendInfo["tensors_bound"], "position") {
		t.Errorf("untimed features, tensors by position: %+v", info)
	}
}

func TestTensorsByPosition(t *testing.T) {
	w := newSpeechWorkload(runSettings{Form: modelForms()["reference"], BindByPosition: true}, map[string]backend.Model{},
		nil,
		0)
	for _, p := range w.Parts() {
		for _, tensor := range slices.Concat(p.Model.Inputs, p.Model.Outputs) {
			if tensor.Name != "" || tensor.Shape == nil {
				t.Errorf("part %s: %+v, want a shape and no name", p.Name, tensor)
			}
		}
	}
}

// wav is a WAV file of zeros.
func wav(samples, rate, channels int) []byte {
	file := librispeech.EncodeWAV(make([]int16, samples*channels))
	binary.LittleEndian.PutUint16(file[22:], uint16(channels))
	binary.LittleEndian.PutUint32(file[24:], uint32(rate))
	return file
}

// nan is a WAV file of float32 of which one is not a number.
func nan() []byte {
	file := librispeech.EncodeWAV(make([]int16, 2*1000))
	binary.LittleEndian.PutUint16(file[20:], 3) // float
	binary.LittleEndian.PutUint16(file[34:], 32)
	binary.LittleEndian.PutUint32(file[44+4*7:], math.Float32bits(float32(math.NaN())))
	return file
}

// TestOpenReportsEveryWrongClip opens folders in which every file but the first is wrong.
func TestOpenReportsEveryWrongClip(t *testing.T) {
	lying := wav(1000, 16000, 1)
	binary.LittleEndian.PutUint32(lying[40:], 1<<30)
	wrong := map[string]struct {
		file []byte
		want string
	}{
		"1-1-0001.wav":  {wav(1000, 8000, 1), "8000 samples per second in 1 channels"},
		"1-1-0002.wav":  {wav(1000, 16000, 2), "16000 samples per second in 2 channels"},
		"1-1-0003.wav":  {nil, "not a WAV or FLAC file"},
		"1-1-0004.wav":  {wav(1000, 16000, 1)[:300], "damaged or cut off"},
		"1-1-0005.wav":  {lying, "1073741824 bytes"},
		"1-1-0006.wav":  {wav(256, 16000, 1), "256 samples, want 481 or more"},
		"1-1-0007.wav":  {wav(480, 16000, 1), "480 samples, want 481 or more"},
		"1-1-0008.wav":  {nan(), "sample 7 is NaN"},
		"1-1-0009.flac": {[]byte("fLaC cut off"), "1-1-0009"},
	}
	dir := t.TempDir()
	lines := "1-1-0000 FINE\n1-1-0010 MISSING\n"
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1-1-0000.wav", wav(1000, 16000, 1))
	wants := []string{"10 faults", "neither 1-1-0010.wav nor 1-1-0010.flac"}
	for name, c := range wrong {
		write(name, c.file)
		lines += strings.TrimSuffix(name, filepath.Ext(name)) + " WRONG\n"
		wants = append(wants, name, c.want)
	}
	write("1-1.trans.txt", []byte(lines))
	_, err := New().Open(t.Context(), sdk.Options{Dataset: dir})
	sdktest.WantError(t, err, wants...)
	if !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %q, want one about the data", err)
	}
}

func TestOpenReportsEveryParameter(t *testing.T) {
	_, err := New().Open(t.Context(), sdk.Options{Params: map[string]string{
		"features": "later", "bind": "luck", "max_duration": "-1",
	}})
	sdktest.WantError(t, err, `features = "later": want one of timed, untimed`, `bind = "luck"`, `max_duration = "-1"`)
}

func TestScorer(t *testing.T) {
	dir := published(t, 2)
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir})
	if err != nil {
		t.Fatal(err)
	}
	said := speech.Eval().Transcript(0)
	words := len(strings.Fields(said))
	var payload []byte
	for _, c := range said {
		payload = binary.LittleEndian.AppendUint64(payload, uint64(strings.IndexRune(" abcdefghijklmnopqrstuvwxyz'", c)))
	}
	for range 2 {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: 0, Data: payload}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []mllog.AccuracyEntry{
		{QSLIndex: 2}, {QSLIndex: 1, Data: []byte{1}}, {QSLIndex: 1, Data: binary.LittleEndian.AppendUint64(nil,
			blankSymbol)},
	} {
		if err := s.Add(e); !errors.Is(err, sdk.ErrData) {
			t.Errorf("entry %+v: error %v, want one about the data", e, err)
		}
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 1}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	missed := len(strings.Fields(speech.Eval().Transcript(1)))
	want := 100 * float64(2*words) / float64(2*words+missed)
	if m := got.Metrics; len(m) != 2 || math.Abs(m[0].Value-want) > 1e-9 || math.Abs(m[1].Value-100+want) > 1e-9 ||
		got.Samples != 2 || len(got.Notes) != 1 || !strings.HasPrefix(got.OfficialText, "Word Error Rate: ") {
		t.Errorf("got %+v, want %v %% of the words and a note about the clip that is there twice", got, want)
	}
}

func TestScorerOfNoWords(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v, want one about the data", err)
	}
}
