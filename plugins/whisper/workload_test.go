package whisper

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/plugins/whisper/internal/tiktoken"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// words is a vocabulary of text tokens, behind which 3 ends an answer.
func words(t *testing.T) textVocabulary {
	t.Helper()
	v, err := tiktoken.Parse([]byte(tokens(" Hello", ",", " café")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tokens are a vocabulary's file.
func tokens(texts ...string) string {
	var file strings.Builder
	for id, text := range texts {
		fmt.Fprintf(&file, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(text)), id)
	}
	return file.String()
}

func TestPayloads(t *testing.T) {
	w := &speechWorkload{modelSettings: modelSettings{EndIDs: []int32{3}}, vocabulary: words(t)}
	w.logitCount.Store(9)
	for _, c := range []struct {
		in   backend.Tokens
		text string
		n    int
	}{
		{backend.Tokens{IDs: []int32{0, 1, 2, 3}, N: 4}, " Hello, café", 4},
		{backend.Tokens{IDs: []int32{0, 3, 0, 0}, N: 4}, " Hello", 2},
		{backend.Tokens{IDs: []int32{0, 8, 0}, N: 3}, " Hello Hello", 3},
		{backend.Tokens{IDs: []int32{3}, N: 1}, "", 1},
		{backend.Tokens{Text: " It's 5%!", N: 7}, "it's 5%", 7},
	} {
		got, n, err := w.AppendTokens([]byte{1}, nil, c.in)
		if want := append([]byte{1}, wer.EncodePayload(c.text)...); err != nil || !slices.Equal(got, want) || n != c.n {
			t.Errorf("%v: % x, %d tokens, %v; want % x, %d", c.in, got, n, err, want, c.n)
		}
	}
}

func TestTokensBeyondTheVocabulary(t *testing.T) {
	w := &speechWorkload{modelSettings: modelSettings{EndIDs: []int32{7}}, vocabulary: words(t)}
	w.logitCount.Store(9)
	for id, want := range map[int32]string{-1: "token 1 is -1", 9: "token 1 is 9", 4: "parameter tokenizer must be that"} {
		_, _, err := w.AppendTokens(nil, nil, backend.Tokens{IDs: []int32{0, id}, N: 2})
		if !errors.Is(err, errTokens) || !strings.Contains(err.Error(), want) {
			t.Errorf("token %d: error %v, want %q", id, err, want)
		}
	}
}

// session has tensors and runs nothing.
type session struct{ in, out []backend.TensorInfo }

func (s session) Inputs() []backend.TensorInfo  { return s.in }
func (s session) Outputs() []backend.TensorInfo { return s.out }
func (s session) Limits() backend.Limits        { return backend.Limits{} }
func (s session) Run(context.Context, []backend.Tensor, []backend.Tensor) error {
	return errors.ErrUnsupported
}
func (s session) Close() error { return nil }
func floats(name string, shape ...int64) backend.TensorInfo {
	return info(name, backend.Float32, shape)
}
func ids(name string, shape ...int64) backend.TensorInfo { return info(name, backend.Int64, shape) }
func info(name string, d backend.DType, shape []int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: d, Shape: shape}
}

// parts are an encoder and a decoder that takes no past, of small sizes.
func parts() map[string]*session {
	return map[string]*session{
		encoderPart: {
			in:  []backend.TensorInfo{floats("input_features", -1, 8, 50)},
			out: []backend.TensorInfo{floats("last_hidden_state", -1, 25, 16)},
		},
		decoderPart: {
			in:  []backend.TensorInfo{ids("input_ids", -1, -1), floats("encoder_hidden_states", -1, 25, 16)},
			out: []backend.TensorInfo{floats("logits", -1, -1, 64)},
		},
	}
}

func TestPartsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(w *speechWorkload, p map[string]*session)
		class error
		want  string
	}{
		"another width": {func(_ *speechWorkload, p map[string]*session) { p[encoderPart].out[0].Shape[2] = 8 },
			generate.ErrEncoderDecoder, "last_hidden_state float32[N,25,8], want float32[N,25,16]"},
		"no tokens": {func(_ *speechWorkload, p map[string]*session) { p[decoderPart].in[0].Name = "words" },
			generate.ErrEncoderDecoder, "an input of tokens is missing"},
		"encoder of text": {func(_ *speechWorkload, p map[string]*session) {
			p[encoderPart].in[0] = ids("input_ids", -1, -1)
		}, sdk.ErrData, "audio"},
		"longer than 30 s": {func(_ *speechWorkload, p map[string]*session) { p[encoderPart].in[0].Shape[2] = 3001 },
			sdk.ErrData, "at most 512 mels and 3000 frames"},
		"too many mels": {func(_ *speechWorkload, p map[string]*session) { p[encoderPart].in[0].Shape[1] = 1 << 40 },
			sdk.ErrData, "at most 512 mels and 3000 frames"},
		"end token beyond": {func(w *speechWorkload, _ map[string]*session) { w.EndIDs = []int32{64} },
			sdk.ErrData, "the end token is 64, and the decoder has 64 tokens"},
		"prompt beyond": {func(w *speechWorkload, _ map[string]*session) { w.PromptIDs = []int32{64} },
			sdk.ErrData, "Start: token 0 is 64"},
		"tokenizer of a server": {func(w *speechWorkload, _ map[string]*session) { w.vocabulary = nil },
			sdk.ErrUsage, "the backend runs the model here"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &speechWorkload{modelSettings: modelSettings{PromptIDs: []int32{11}, EndIDs: []int32{10}, MaxTokens: 9,
				Mels: 8},
				vocabulary: words(t)}
			p := parts()
			c.spoil(w, p)
			_, err := w.NewGenerator(sdk.Sessions{encoderPart: p[encoderPart], decoderPart: p[decoderPart]}, backend.Config{})
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %v with %q", err, c.class, c.want)
			}
		})
	}
}

// TestFeaturesAreCutToTheEncoder holds them to those of 30 s, as far as the encoder takes them.
func TestFeaturesAreCutToTheEncoder(t *testing.T) {
	samples := make([]float32, audio.SampleRate)
	for i := range samples {
		samples[i] = float32(i%97)/97 - 0.5
	}
	whole := audio.NewLogMel(8).Append(nil, samples)
	for _, c := range []struct{ mels, frames int64 }{{8, 50}, {-1, -1}, {8, -1}} {
		f, err := newSoundFeatures(session{in: []backend.TensorInfo{floats("mel", -1, c.mels, c.frames)}}, 8)
		if err != nil {
			t.Fatal(err)
		}
		values, shape, err := f.makeFeatures(samples)
		frames := int(max(c.frames, audio.LogMelFrames*max(-c.frames, 0)))
		if err != nil || !slices.Equal(shape, []int64{8, int64(frames)}) || len(values) != 8*frames {
			t.Fatalf("%v: %d features of shape %v, %v", c, len(values), shape, err)
		}
		for i := range 8 {
			if !slices.Equal(values[i*frames:][:frames], whole[i*audio.LogMelFrames:][:frames]) {
				t.Errorf("%v: filter %d differs", c, i)
			}
		}
	}
}

func TestVocabularies(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	json := `{"version":"1.0","model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]},
		"pre_tokenizer":{"type":"ByteLevel"},"decoder":{"type":"ByteLevel"},
		"added_tokens":[{"id":3,"content":"<|endoftext|>","special":true}]}`
	good := []string{
		write("whisper.tiktoken", tokens("a", "b", "ab")), write("tiny-tokens.txt", tokens("a", "b", "ab")),
		write("tokenizer.json", json), filepath.Dir(write("a/multilingual.tiktoken", tokens("a", "b", "ab"))),
		filepath.Dir(write("b/large-v3-tokens.txt", tokens("a", "b", "ab"))),
	}
	write("c/vocab.json", `{"a":0,"b":1,"ab":2,"<|endoftext|>":3}`)
	good = append(good, filepath.Dir(write("c/merges.txt", "#version: 0.2\na b\n")), filepath.Join(dir, "c", "vocab.json"))
	for _, path := range good {
		v, err := openVocabulary(path, 3)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if text, err := v.Decode([]int32{2, 0, 1}); err != nil || text != "abab" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	for path, want := range map[string]string{
		"": "parameter tokenizer is missing", filepath.Join(dir, "none"): "no such file",
		write("short.tiktoken", tokens("a", "b")):    "want a token for each id below the end token's, 3",
		write("wrong.json", "{"):                     "tokenizer",
		filepath.Dir(write("d/readme", "")):          "not one file *tokens.txt, but 0",
		write("e/vocab.json", `{"a":0,"b":1,"c":2}`): "merges.txt",
	} {
		if _, err := openVocabulary(path, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	if v, err := openVocabulary("server", 3); v != nil || err != nil {
		t.Errorf("the server's: %v, %v", v, err)
	}
}

func TestServersModelIsTheirs(t *testing.T) {
	w := &speechWorkload{}
	i := sdk.WorkloadInfo{ModelFile: "embedded-fp32", Embedded: true, ModelSHA256: "12", ModelSize: 7}
	if w.AddInfo(&i); i.Embedded || i.ModelFile != serverModel || i.ModelSHA256 != "" || i.ModelSize != 0 ||
		len(i.OpenReasons) != 1 {
		t.Errorf("the model of a server is said to be %+v", i)
	}
	if work := w.ClientWork(nil, nil, 1); len(work) != 1 {
		t.Errorf("work beside a server: %v", work)
	}
}
