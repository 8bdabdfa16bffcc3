package ort_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// plain is a session that keeps no outputs.
type plain struct{ backend.Session }

// elsewhere is a session that keeps requested outputs in memory outside of the process.
type elsewhere struct{ backend.Session }

func (elsewhere) CacheMemory() any { return elsewhere{} }

// keeping determines where the sessions of a test keep outputs.
type keeping string

const (
	here    keeping = "here"
	apart   keeping = "apart"
	nowhere keeping = "nowhere"
)

// graphs opens the graphs of a folder: an encoder, a decoder and, if it is named, a decoder with past.
func graphs(t testing.TB, k keeping, dir string, names ...string) generate.EncoderDecoder {
	t.Helper()
	sessions := make([]backend.Session, 3)
	for i, name := range names {
		m := backend.Model{Name: name, Path: filepath.Join(dir, name)}
		sessions[i] = openModel(t, m, backend.Config{Concurrency: 2})
		switch k {
		case apart:
			sessions[i] = elsewhere{sessions[i]}
		case nowhere:
			sessions[i] = plain{sessions[i]}
		}
	}
	return generate.EncoderDecoder{Encoder: sessions[0], Decoder: sessions[1], Step: sessions[2]}
}

func generator(t testing.TB, p generate.EncoderDecoder, o generate.GeneratorOptions) *generate.Generator {
	t.Helper()
	g, err := generate.NewEncoderDecoder(p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// beamAnswer is a sink that stores all beams.
type beamAnswer struct {
	ids   []int32
	beams []generate.BeamAnswer
}

func (a *beamAnswer) FirstToken(backend.Tokens)       {}
func (a *beamAnswer) Complete(t backend.Tokens)       { a.ids = slices.Clone(t.IDs) }
func (a *beamAnswer) Beams(all []generate.BeamAnswer) { a.beams = all }

// answers generates all prompts concurrently.
func answers(t testing.TB, g *generate.Generator, prompts []backend.Prompt) []beamAnswer {
	t.Helper()
	all := make([]beamAnswer, len(prompts))
	var calls sync.WaitGroup
	for i, p := range prompts {
		calls.Go(func() {
			if err := g.Generate(t.Context(), p, &all[i]); err != nil {
				t.Errorf("prompt %d: %v", i, err)
			}
		})
	}
	calls.Wait()
	return all
}

// TestGoldenWhisperGreedy compares decoded clips with those of transformers, one clip at a time and all together.
func TestGoldenWhisperGreedy(t *testing.T) {
	golden.Each(t, "decode/whisper_greedy/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Prompt []int32
			EOT    int32
			Most   int `json:"max_new_tokens"`
			Cases  []struct {
				Features string
				Tokens   []int32 `json:"tokens_with_eot"`
			}
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		clips := make([][]float32, len(want.Cases))
		prompts := make([]backend.Prompt, len(want.Cases))
		var shape []int64
		for i, c := range want.Cases {
			clips[i], shape = readArray(t, filepath.Join(dir, c.Features))
			prompts[i] = backend.Prompt{Audio: clips[i], MaxNewTokens: want.Most, EOS: []int32{want.EOT}}
		}
		if len(shape) == 3 {
			shape = shape[1:]
		}
		decoders := [][]string{
			{"encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx"},
			{"encoder_model.onnx", "decoder_model.onnx"},
		}
		if _, err := os.Stat(filepath.Join(dir, "decoder_model_merged.onnx")); err == nil {
			decoders = append(decoders, []string{"encoder_model.onnx", "decoder_model_merged.onnx"})
		}
		for _, names := range decoders {
			for k, together := range map[keeping]int{here: 1, apart: 3, nowhere: 8} {
				g := generator(t, graphs(t, k, dir, names...), generate.GeneratorOptions{
					MaxSequences: together, Start: want.Prompt, PromptTokens: 1000,
					Features: func(audio []float32) ([]float32, []int64, error) { return audio, shape, nil },
				})
				for i, a := range answers(t, g, prompts) {
					if !slices.Equal(a.ids, want.Cases[i].Tokens) {
						t.Errorf("%v, %d together, clip %d: %v, want %v", names[1:], together, i, a.ids, want.Cases[i].Tokens)
					}
				}
				copied := g.Describe().Details["state_copied_bytes_per_step"]
				tokens := g.Describe().Details["past"] != "" // are copied, where they are all that is remembered
				if (k == nowhere) != (copied != "0") && !tokens {
					t.Errorf("%v, kept %v: %s bytes are copied at each step", names[1:], k, copied)
				}
			}
		}
	})
}

// readArray reads a float32 array in NumPy's format, version 1.
func readArray(t *testing.T, path string) (values []float32, shape []int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := string(data[10 : 10+binary.LittleEndian.Uint16(data[8:])])
	if !strings.Contains(header, "'<f4'") || strings.Contains(header, "True") {
		t.Fatalf("%s: %s", path, header)
	}
	_, dims, _ := strings.Cut(header, "'shape': (")
	dims, _, _ = strings.Cut(dims, ")")
	for _, d := range strings.Split(strings.Trim(dims, ", "), ",") {
		var n int64
		if _, err := fmt.Sscan(d, &n); err != nil {
			t.Fatal(err)
		}
		shape = append(shape, n)
	}
	return backend.View[float32](data[10+len(header):]), shape
}

// translation is the content of golden/translation/beam.
type translation struct {
	EOS     int32     `json:"eos"`
	SOS     int32     `json:"sos"`
	Sources [][]int32 `json:"source_ids"`
	Cases   []struct {
		Beams     int     `json:"beam_width"`
		Penalty   float64 `json:"length_penalty_weight"`
		Batch     int
		Sentences []sentence
	}
}

type sentence struct {
	IDs      [][]int32
	LogProbs []float64 `json:"log_probs"`
	Scores   []float64 `json:"final_step_scores"`
	Lengths  []int
	Finished []bool
}

// TestGoldenTranslationBeams compares all beams of all sentences with those of the official nmt code.
func TestGoldenTranslationBeams(t *testing.T) {
	golden.Each(t, "translation/beam/expected.json", func(t *testing.T, path string) {
		var want translation
		golden.ReadJSON(t, path, &want)
		for _, c := range want.Cases {
			t.Run(fmt.Sprintf("beams=%d,penalty=%v,batch=%d", c.Beams, c.Penalty, c.Batch), func(t *testing.T) {
				prompts := want.prompts(c.Beams, c.Penalty)
				for _, k := range []keeping{here, apart, nowhere} {
					p := graphs(t, k, filepath.Dir(path), "encoder.onnx", "decoder.onnx")
					all := want.search(t, p, c.Beams, c.Batch, prompts)
					for i, a := range all {
						c.Sentences[i].check(t, i, want.EOS, c.Batch == 1, a)
					}
				}
			})
		}
	})
}

// prompts returns the sources, each with its own maximum of steps.
func (w *translation) prompts(beams int, penalty float64) []backend.Prompt {
	all := make([]backend.Prompt, len(w.Sources))
	for i, ids := range w.Sources {
		all[i] = backend.Prompt{
			Tokens: ids, MaxNewTokens: 2 * len(ids), EOS: []int32{w.EOS}, PadToken: w.EOS,
			Beams: beams, LengthPenalty: penalty,
		}
	}
	return all
}

// search searches for all prompts concurrently: with a batch of 1, each with its own maximum of steps; otherwise in one
// batch with the maximum of the longest.
func (w *translation) search(
	t *testing.T, p generate.EncoderDecoder, beams, batch int, prompts []backend.Prompt,
) []beamAnswer {
	t.Helper()
	o := generate.GeneratorOptions{MaxSequences: 7 * beams, Start: []int32{w.SOS}, Beams: generate.GNMT}
	if batch == 1 {
		return answers(t, generator(t, p, o), prompts)
	}
	o.MaxSequences, o.PromptTokens, o.Beams = (1+batch)*beams, 1<<20, generate.GNMTBatch
	gate := &gated{Session: p.Encoder, running: make(chan struct{}), open: make(chan struct{})}
	p.Encoder = gate
	g := generator(t, p, o)
	var first sync.WaitGroup
	longest := slices.MaxFunc(prompts, func(a, b backend.Prompt) int { return len(a.Tokens) - len(b.Tokens) })
	first.Go(func() { answers(t, g, []backend.Prompt{longest}) })
	defer first.Wait()
	go func() {
		for g.Stats().Waiting < batch {
			runtime.Gosched()
		}
		close(gate.open)
	}()
	<-gate.running
	return answers(t, g, prompts)
}

// check compares the beams of sentence i up to their first end token, and all other facts of a search that ended with
// its sentence.
func (s *sentence) check(t *testing.T, i int, eos int32, alone bool, a beamAnswer) {
	t.Helper()
	if len(a.beams) != len(s.IDs) {
		t.Fatalf("sentence %d: %d beams, want %d", i, len(a.beams), len(s.IDs))
	}
	for k, b := range a.beams {
		want := s.IDs[k]
		if end := slices.Index(want, eos); end >= 0 {
			want = want[:end+1]
		}
		if !slices.Equal(b.IDs, want) {
			t.Errorf("sentence %d beam %d: %v, want %v", i, k, b.IDs, want)
		}
		near := math.Abs(b.LogProb-s.LogProbs[k]) <= 1e-3 && math.Abs(b.Score-s.Scores[k]) <= 1e-3
		if alone && (!near || b.Ended != s.Finished[k]) {
			t.Errorf("sentence %d beam %d: log probability %v, score %v, ended %v, want %v, %v, %v",
				i, k, b.LogProb, b.Score, b.Ended, s.LogProbs[k], s.Scores[k], s.Finished[k])
		}
	}
	if !slices.Equal(a.ids, a.beams[0].IDs) {
		t.Errorf("sentence %d: answer %v beside the first beam %v", i, a.ids, a.beams[0].IDs)
	}
}

// gated is a session whose first run waits.
type gated struct {
	backend.Session
	running, open chan struct{}
	once          sync.Once
}

func (g *gated) CacheMemory() any { return backend.CacheMemory(g.Session) }

func (g *gated) Run(ctx context.Context, in, out []backend.Tensor) error {
	g.once.Do(func() {
		close(g.running)
		<-g.open
	})
	return g.Session.Run(ctx, in, out)
}

// BenchmarkTranslations searches for all sentences of the package's own case with beams of 5, and reports the time per
// step of all concurrent searches.
func BenchmarkTranslations(b *testing.B) {
	dir := filepath.Join("testdata", "golden", "translation", "beam")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		b.Fatal(err)
	}
	var want translation
	if err := json.Unmarshal(data, &want); err != nil {
		b.Fatal(err)
	}
	for _, k := range []keeping{here, apart, nowhere} {
		b.Run("kept="+string(k), func(b *testing.B) {
			g := generator(b, graphs(b, k, dir, "encoder.onnx", "decoder.onnx"), generate.GeneratorOptions{
				MaxSequences: 50, Start: []int32{want.SOS}, Beams: generate.GNMT,
			})
			b.ReportAllocs()
			for b.Loop() {
				answers(b, g, want.prompts(5, 0.6))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(g.Stats().Steps), "us/step")
		})
	}
}
