package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/whisper"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// decoded is a golden folder: transformers' results of decoding features.
type decoded struct {
	Prompt []int32
	EOT    int
	Most   int `json:"max_new_tokens"`
	Cases  []struct {
		Features string
		Tokens   []int32 `json:"tokens_with_eot"`
		N        int     `json:"n_tokens"`
	}
}

// given is an encoder's session that receives the features of a case instead of those of audio.
type given struct {
	backend.Session
	features []byte
}

func (g *given) CacheMemory() any { return backend.CacheMemory(g.Session) }

func (g *given) Run(ctx context.Context, in, out []backend.Tensor) error {
	in[0].Data = g.features
	return g.Session.Run(ctx, in, out)
}

// heard is a sink that stores an answer.
type heard struct{ tokens backend.Tokens }

func (heard) FirstToken(backend.Tokens) {}
func (h *heard) Complete(t backend.Tokens) {
	h.tokens = backend.Tokens{IDs: slices.Clone(t.IDs), N: t.N}
}

// TestGoldenWhisperGreedy decodes with the benchmark's generator, prompt, limits and counts, and with optimum's
// decoders: the two, the first alone, and the merged one.
func TestGoldenWhisperGreedy(t *testing.T) {
	library, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Of one of the cases there the decoders are merged, too.
	const own = "../../../backends/ort/testdata/golden"
	golden.EachBelow(t, own, "decode/whisper_greedy/*/expected.json", func(t *testing.T, path string) {
		var want decoded
		golden.ReadJSON(t, path, &want)
		all := map[string]string{
			"encoder": "encoder_model.onnx", "decoder": "decoder_model.onnx",
			"decoder_with_past": "decoder_with_past_model.onnx",
		}
		want.check(t, library, filepath.Dir(path), all)
		delete(all, "decoder_with_past")
		want.check(t, library, filepath.Dir(path), all)
		all["decoder"] = "decoder_model_merged.onnx"
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), all["decoder"])); err == nil {
			want.check(t, library, filepath.Dir(path), all)
		}
	})
}

// check decodes all cases with the files of parts, one after another.
func (d *decoded) check(t *testing.T, library, dir string, names map[string]string) {
	t.Helper()
	files := map[string]string{}
	for part, name := range names {
		files[part] = filepath.Join(dir, name)
	}
	w, err := whisper.New().Open(t.Context(), sdk.Options{PartFiles: files, Count: 1, Params: map[string]string{
		"tokenizer": vocabulary(t, d.EOT), "prompt": joined(d.Prompt), "eos": strconv.Itoa(d.EOT),
		"max_new_tokens": strconv.Itoa(d.Most),
	}})
	if err != nil {
		t.Fatal(err)
	}
	encoder := &given{}
	g := generator(t, library, w, encoder)
	prompts := w.(sdk.Generative)
	for i, c := range d.Cases {
		encoder.features = values(t, filepath.Join(dir, c.Features))
		s, err := w.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := prompts.Prompt(s)
		if err != nil {
			t.Fatal(err)
		}
		var h heard
		if err := g.Generate(t.Context(), p, &h); err != nil {
			t.Fatal(err)
		}
		_, n, err := prompts.AppendTokens(nil, s, h.tokens)
		if !slices.Equal(h.tokens.IDs, c.Tokens) || n != c.N || err != nil {
			t.Errorf("case %d of %v: %v, %d tokens, %v; want %v, %d", i, names, h.tokens.IDs, n, err, c.Tokens, c.N)
		}
	}
}

// generator opens the parts, with encoder e, for one sequence at a time.
func generator(t *testing.T, library string, w sdk.Workload, e *given) backend.Generator {
	t.Helper()
	sessions := sdk.Sessions{}
	for _, part := range w.Parts() {
		if part.LeftOut() {
			continue
		}
		s, err := ort.Backend{Library: library}.Open(t.Context(), part.Model, backend.Config{Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		if sessions[part.Name] = s; part.Name == "encoder" {
			e.Session, sessions[part.Name] = s, e
		}
	}
	maker, _ := sdk.As[sdk.SessionGenerator](w)
	g, err := maker.NewGenerator(sessions, backend.Config{MaxBatch: 1})
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

// vocabulary writes a number of text tokens and returns the file.
func vocabulary(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	for id := range n {
		fmt.Fprintf(&text, "%s %d\n", base64.StdEncoding.EncodeToString(fmt.Appendf(nil, " w%d", id)), id)
	}
	path := filepath.Join(t.TempDir(), "tokens.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func joined(ids []int32) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.Itoa(int(id))
	}
	return strings.Join(texts, ",")
}

// values returns the bytes of a float32 array in NumPy's format, version 1.
func values(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[10+binary.LittleEndian.Uint16(data[8:]):]
}
