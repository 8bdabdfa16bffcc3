package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/rnnt"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// opened is the benchmark on ONNX Runtime, like in the plugin's process.
type opened struct {
	workload sdk.Workload
	run      sdk.Run
}

// open opens the workload of o.
func open(t testing.TB, o sdk.Options) (*opened, error) {
	t.Helper()
	return openTimed(t, o, map[string]*timed{})
}

// openTimed opens the workload of o with sessions whose runs are timed by part.
func openTimed(t testing.TB, o sdk.Options, parts map[string]*timed) (*opened, error) {
	t.Helper()
	library, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := rnnt.New().Open(t.Context(), o)
	if err != nil {
		return nil, err
	}
	sessions := sdk.Sessions{}
	for _, p := range w.Parts() {
		s, err := ort.Backend{Library: library}.Open(t.Context(), p.Model, backend.Config{
			Concurrency: 1, Options: map[string]string{"threads": "1"},
		})
		if err != nil {
			return nil, fmt.Errorf("part %s: %w", p.Name, err)
		}
		t.Cleanup(func() { _ = s.Close() })
		parts[p.Name] = &timed{Session: s}
		sessions[p.Name] = parts[p.Name]
	}
	run, err := w.(sdk.Runner).NewRun(sessions)
	for _, part := range parts {
		part.took, part.runs = 0, 0
	}
	return &opened{w, run}, err
}

// loaded returns all samples, sorted by size.
func loaded(t testing.TB, o *opened) []sdk.Sample {
	t.Helper()
	samples := make([]sdk.Sample, o.workload.Len())
	for i := range samples {
		s, err := o.workload.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		samples[i] = s
	}
	sizer, _ := sdk.As[sdk.Sizer](o.workload)
	slices.SortStableFunc(samples, func(a, b sdk.Sample) int {
		return cmp.Compare(sizer.SampleSize(a), sizer.SampleSize(b))
	})
	return samples
}

// payloads returns the answers to samples in batches of a given size.
func (o *opened) payloads(t testing.TB, samples []sdk.Sample, batch int) (all [][]byte) {
	t.Helper()
	for part := range slices.Chunk(samples, batch) {
		var p sdk.Payloads
		if err := o.run.Run(t.Context(), part, &p); err != nil {
			t.Fatal(err)
		}
		for i := range p.Len() {
			all = append(all, slices.Clone(p.At(i)))
		}
	}
	return all
}

// inFolder returns the parts of a folder, in files with the given name endings.
func inFolder(dir, prefix string) map[string]string {
	files := map[string]string{}
	for _, part := range []string{"encoder", "prediction", "joint"} {
		files[part] = filepath.Join(dir, prefix+part+".onnx")
	}
	return files
}

// TestGoldenGreedyDecoding decodes features with files of the reference's export: each clip alone, all clips in one
// batch, and in pairs.
func TestGoldenGreedyDecoding(t *testing.T) {
	golden.Each(t, "decode/rnnt_greedy/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Cases []struct {
				Features string
				Frames   int
				Tokens   []int64
			}
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		o, err := open(t, sdk.Options{Count: 1, PartFiles: inFolder(dir, "rnnt_")})
		if err != nil {
			t.Fatal(err)
		}
		var samples []sdk.Sample
		for _, c := range want.Cases {
			samples = append(samples, rnnt.NewFeatureSample(floats(t, filepath.Join(dir, c.Features), c.Frames*240)))
		}
		for _, batch := range []int{1, 2, len(samples)} {
			for i, payload := range o.payloads(t, samples, batch) {
				if tokens := backend.View[int64](payload); !slices.Equal(tokens, want.Cases[i].Tokens) {
					t.Errorf("clip %d in batches of %d: symbols %v, want %v", i, batch, tokens, want.Cases[i].Tokens)
				}
			}
		}
	})
}

// TestForms decodes features with files in the forms of other toolkits (testdata/make_forms.py) and compares the text
// with that of their greedy decoders, in all batches.
func TestForms(t *testing.T) {
	for _, name := range []string{"nemo", "icefall"} {
		path := filepath.Join("testdata", "forms", name, "expected.json")
		var want struct {
			Interface string
			Bins      int
			Cases     []struct {
				Features, Text string
				Frames         int
			}
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		files := inFolder(dir, "")
		if want.Interface == "nemo" {
			delete(files, "joint")
		}
		o, err := open(t, sdk.Options{Count: 1, PartFiles: files, Params: map[string]string{
			"interface": want.Interface, "tokens": filepath.Join(dir, "tokens.txt"),
		}})
		if err != nil {
			t.Fatal(err)
		}
		var samples []sdk.Sample
		for _, c := range want.Cases {
			samples = append(samples, rnnt.NewFeatureSample(floats(t, filepath.Join(dir, c.Features), c.Frames*want.Bins)))
		}
		for _, batch := range []int{1, 2, len(samples)} {
			for i, payload := range o.payloads(t, samples, batch) {
				text := ""
				for _, label := range backend.View[int64](payload) {
					text += string(rune('a' + label - 1))
				}
				if text != want.Cases[i].Text {
					t.Errorf("%s: clip %d in batches of %d: %q, want %q", name, i, batch, text, want.Cases[i].Text)
				}
			}
		}
	}
}

// floats reads n float32 values of a NumPy file.
func floats(t *testing.T, path string, n int) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	if !strings.Contains(string(data[:header]), "'<f4'") || len(data)-header != 4*n {
		t.Fatalf("%s: %d bytes behind the header, want %d float32", path, len(data)-header, n)
	}
	return slices.Clone(backend.View[float32](data[header:]))
}
