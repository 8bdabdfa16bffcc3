package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/gnmt"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// marianFolder contains a Marian model in optimum's forms. Its make.py describes how it was made.
const marianFolder = "../../../plugins/gnmt/testdata/marian"

// translated contains transformers' results for sentences with several settings of generation_config.json.
type translated struct {
	folder    string
	Settings  []map[string]any
	Sentences []struct {
		Text    string
		IDs     []int32
		Answers []struct {
			Beams [][]int32 // best first
			Text  string
		}
	}
}

// decoders contains the forms of a decoder in optimum's exports.
var decoders = []map[string]string{
	{"decoder": "decoder_model.onnx", "decoder_with_past": "decoder_with_past_model.onnx"},
	{"decoder": "decoder_model_merged.onnx"},
	{"decoder": "decoder_model.onnx"},
}

// TestMarianTranslatesAsTransformers translates all sentences together, with each setting in one of the forms, and
// compares all beams to the last token and the text of the best.
func TestMarianTranslatesAsTransformers(t *testing.T) {
	want := translated{folder: marianFolder}
	golden.ReadJSON(t, filepath.Join(want.folder, "expected.json"), &want)
	for i, setting := range want.Settings {
		t.Run(fmt.Sprint(setting), func(t *testing.T) { want.check(t, i, decoders[i%len(decoders)]) })
	}
}

// check translates with setting i.
func (w *translated) check(t *testing.T, i int, decoder map[string]string) {
	workload, g := w.open(t, i, decoder)
	prompter, _ := sdk.As[sdk.Generative](workload)
	answers := make([]marianAnswer, len(w.Sentences))
	var calls sync.WaitGroup
	for k, s := range w.Sentences {
		var err error
		if answers[k].sample, err = workload.Load(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		p, err := prompter.Prompt(answers[k].sample)
		if err != nil || !slices.Equal(p.Tokens, s.IDs) {
			t.Fatalf("%q: ids %v, %v; want %v", s.Text, p.Tokens, err, s.IDs)
		}
		calls.Go(func() {
			if err := g.Generate(t.Context(), p, &answers[k]); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	for k, s := range w.Sentences {
		want := s.Answers[i]
		for n, ids := range want.Beams {
			if got := answers[k].beams[n].IDs; !slices.Equal(got, ids) {
				t.Errorf("%q, beam %d: %v, want %v", s.Text, n, got, ids)
			}
		}
		text, n, err := prompter.AppendTokens(nil, answers[k].sample, answers[k].best)
		if err != nil || string(text) != want.Text || n != len(want.Beams[0]) {
			t.Errorf("%q: %q of %d tokens, %v; want %q", s.Text, text, n, err, want.Text)
		}
	}
}

// open opens the benchmark with the sentences and a model with setting i.
func (w *translated) open(t *testing.T, i int, decoder map[string]string) (sdk.Workload, backend.Generator) {
	t.Helper()
	library, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, files := w.write(t, i), map[string]string{"encoder": filepath.Join(w.folder, "encoder_model.onnx")}
	for part, name := range decoder {
		files[part] = filepath.Join(w.folder, name)
	}
	workload, err := gnmt.New().Open(t.Context(), sdk.Options{PartFiles: files, Dataset: dir, Params: map[string]string{
		"text": "plain", "sources": "text.en", "vocabulary": dir,
	}})
	if err != nil {
		t.Fatal(err)
	}
	sessions := sdk.Sessions{}
	for _, part := range workload.Parts() {
		if part.LeftOut() {
			continue
		}
		s, err := ort.Backend{Library: library}.Open(t.Context(), part.Model, backend.Config{Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		sessions[part.Name] = s
	}
	maker, _ := sdk.As[sdk.SessionGenerator](workload)
	g, err := maker.NewGenerator(sessions, backend.Config{MaxBatch: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return workload, g
}

// write writes the sentences, and the model's files except its networks, with setting i in generation_config.json.
func (w *translated) write(t *testing.T, i int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var lines strings.Builder
	for _, s := range w.Sentences {
		lines.WriteString(s.Text + "\n")
	}
	config := map[string]any{}
	golden.ReadJSON(t, filepath.Join(w.folder, "generation_config.json"), &config)
	maps.Copy(config, w.Settings[i])
	generation, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"text.en": []byte(lines.String()), "generation_config.json": generation}
	for _, name := range []string{"source.spm", "target.spm", "vocab.json", "config.json"} {
		if files[name], err = os.ReadFile(filepath.Join(w.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// marianAnswer is a sink that stores all beams.
type marianAnswer struct {
	sample sdk.Sample
	best   backend.Tokens
	beams  []generate.BeamAnswer
}

func (a *marianAnswer) FirstToken(backend.Tokens)       {}
func (a *marianAnswer) Beams(all []generate.BeamAnswer) { a.beams = all }

func (a *marianAnswer) Complete(t backend.Tokens) {
	a.best = backend.Tokens{IDs: slices.Clone(t.IDs), N: t.N}
}
