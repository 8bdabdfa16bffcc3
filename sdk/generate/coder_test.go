package generate_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// netForm is one form of a net, with a function that computes its logits without a cache.
type netForm struct {
	name   string
	parts  func(n *net) []*part
	logits func(n *net) func(source, tokens []int64) []float32
	audio  bool
}

func netForms() []netForm {
	transformer := func(n *net) func(source, tokens []int64) []float32 { return n.logits }
	recurrent := func(n *net) func(source, tokens []int64) []float32 { return n.recurrent }
	return []netForm{
		{"two decoders", (*net).twoDecoders, transformer, false},
		{"merged", (*net).merged, transformer, false},
		{"no past", (*net).noPast, transformer, false},
		{"sherpa", (*net).sherpa, transformer, true},
		{"recurrent", (*net).recurrentForm, recurrent, false},
		{"all tokens again", (*net).firstDecoder, transformer, false},
	}
}

// netStart contains the first tokens of the decoders: more than one.
var netStart = []int32{3, 5}

// open opens a form of a net as a generator. Its sessions keep all tensors that they can keep, or none.
func (f netForm) open(t testing.TB, n *net, keeps bool, atATime int, o generate.GeneratorOptions) *generate.Generator {
	t.Helper()
	parts := f.parts(n)
	for _, p := range parts {
		p.keeps, p.atATime = keeps, atATime
	}
	o.Start = netStart
	o.Features = func(audio []float32) ([]float32, []int64, error) { return audio, []int64{1, int64(len(audio))}, nil }
	g, err := generate.NewEncoderDecoder(sessions(parts), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		for i, p := range parts {
			if p.closed != 1 {
				t.Errorf("part %d was closed %d times", i, p.closed)
			}
		}
	})
	return g
}

// sources returns random prompts for a form.
func (f netForm) sources(count int, seed uint64) []backend.Prompt {
	r := rand.New(rand.NewPCG(seed, 7))
	all := make([]backend.Prompt, count)
	for i := range all {
		p := backend.Prompt{MaxNewTokens: 1 + r.IntN(12), EOS: []int32{0}, PadToken: 1, LengthPenalty: 1}
		p.MinNewTokens = r.IntN(3)
		for range 1 + r.IntN(9) {
			id := 1 + r.IntN(netVocab-1)
			p.Tokens, p.Audio = append(p.Tokens, int32(id)), append(p.Audio, float32(id))
		}
		all[i] = p
	}
	return all
}

// TestFormsAreTheNetWithoutCache generates many prompts together. Each answer must be that of the net for a single
// prompt without a cache.
func TestFormsAreTheNetWithoutCache(t *testing.T) {
	for _, f := range netForms() {
		for _, keeps := range []bool{true, false} {
			for _, atATime := range []int{1, 2} {
				t.Run(fmt.Sprintf("%s, keeps %v, %d at a time", f.name, keeps, atATime), func(t *testing.T) {
					n := newNet(1)
					g := f.open(t, n, keeps, atATime, generate.GeneratorOptions{MaxSequences: 5, PromptTokens: 20})
					if g.TakesAudio() != f.audio {
						t.Errorf("takes audio: %v, want %v", g.TakesAudio(), f.audio)
					}
					all := f.sources(40, 3)
					for i, a := range generateAll(t, g, all) {
						a.check(t, greedyBy(f.logits(n), netStart, all[i]))
					}
				})
			}
		}
	}
}

// TestBeamsOfFormsAreThoseAlone searches with beams by both rules. All beams must be those of the net that remembers
// only tokens, for one prompt after another. The recurrent form is compared with itself.
func TestBeamsOfFormsAreThoseAlone(t *testing.T) {
	for _, rule := range []generate.BeamRule{generate.HuggingFace, generate.GNMT} {
		for _, f := range netForms() {
			for _, keeps := range []bool{true, false} {
				t.Run(fmt.Sprintf("rule %d, %s, keeps %v", rule, f.name, keeps), func(t *testing.T) {
					all := f.sources(25, 5)
					for i := range all {
						all[i].Beams = 1 + i%4
					}
					alone := netForms()[2]
					if f.name == "recurrent" {
						alone = f
					}
					n := newNet(2)
					g := f.open(t, n, keeps, 2, generate.GeneratorOptions{MaxSequences: 9, Beams: rule})
					together := generateAll(t, g, all)
					for i, p := range all {
						single := alone.open(t, n, false, 1, generate.GeneratorOptions{MaxSequences: p.Beams, Beams: rule})
						together[i].check(t, generateAll(t, single, []backend.Prompt{p})[0].all)
					}
				})
			}
		}
	}
}

// FuzzForms generates prompts with arbitrary limits concurrently, in any form. Each answer must be that of the prompt
// alone.
func FuzzForms(f *testing.F) {
	for form := range uint8(12) {
		f.Add(uint64(form), form, uint8(7), uint8(9), uint8(2), uint8(1))
	}
	f.Fuzz(func(t *testing.T, seed uint64, form, sequences, count, beams, rule uint8) {
		which := netForms()[int(form)%6]
		n := newNet(seed)
		width := 1 + int(beams%4)
		o := generate.GeneratorOptions{
			MaxSequences: max(1+int(sequences%12), width), PromptTokens: 12, Beams: generate.BeamRule(rule % 2),
		}
		all := which.sources(1+int(count%12), seed)
		for i := range all {
			all[i].Beams = width - i%width
		}
		for i, a := range generateAll(t, which.open(t, n, form >= 5, 1+int(rule>>4)%2, o), all) {
			single := which.open(t, n, false, 1, generate.GeneratorOptions{MaxSequences: all[i].Beams, Beams: o.Beams})
			a.check(t, generateAll(t, single, all[i:i+1])[0].all)
		}
	})
}

// FuzzBind changes one tensor of a form. The result must be an error, or a generator that answers or fails.
func FuzzBind(f *testing.F) {
	for form := range uint8(5) {
		f.Add(form, uint8(1), uint8(2), "h0", uint8(backend.Int64), int64(-1), int64(-1), int64(6))
	}
	f.Fuzz(func(t *testing.T, form, part, tensor uint8, name string, dtype uint8, a, b, c int64) {
		parts := netForms()[int(form)%6].parts(newNet(1))
		p := parts[int(part)%len(parts)]
		infos := append(slices.Clone(p.in), p.out...)
		infos[int(tensor)%len(infos)] = backend.TensorInfo{
			Name: name, DType: backend.DType(dtype), Shape: []int64{a, b, c}[:tensor%4],
		}
		p.in, p.out = infos[:len(p.in)], infos[len(p.in):]
		p.run = func(map[string]backend.Tensor) map[string]backend.Tensor { return nil }
		g, err := generate.NewEncoderDecoder(sessions(parts), generate.GeneratorOptions{
			Start: netStart, CacheBytes: 1 << 20,
			Features: func(a []float32) ([]float32, []int64, error) { return a, []int64{1, int64(len(a))}, nil },
		})
		if err != nil {
			return
		}
		if err := g.Generate(t.Context(), netForms()[0].sources(1, 1)[0], &answer{}); err == nil {
			t.Error("an answer of a decoder that gives none")
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestTokensThatNoAnswerHolds(t *testing.T) {
	f := netForms()[0]
	n := newNet(4)
	all := f.sources(20, 8)
	var most [netVocab]int
	for _, a := range generateAll(t, f.open(t, n, false, 1, generate.GeneratorOptions{}), all) {
		for _, id := range a.all {
			most[id]++
		}
	}
	never := []int32{2, 7, int32(slices.Index(most[:], slices.Max(most[1:])))}
	for i := range all {
		all[i].Beams = 1 + i%3
	}
	for _, rule := range []generate.BeamRule{generate.HuggingFace, generate.GNMT} {
		g := f.open(t, n, false, 1, generate.GeneratorOptions{Never: never, Beams: rule})
		for i, a := range generateAll(t, g, all) {
			if slices.ContainsFunc(a.all, func(id int32) bool { return slices.Contains(never, id) }) {
				t.Errorf("rule %d: answer %d is %v, with one of %v", rule, i, a.all, never)
			}
		}
	}
}

// remove removes a tensor from a list, and change replaces it.
func remove(infos *[]backend.TensorInfo, name string) {
	*infos = slices.DeleteFunc(*infos, func(i backend.TensorInfo) bool { return i.Name == name })
}

func change(infos []backend.TensorInfo, name string, to backend.TensorInfo) {
	infos[slices.IndexFunc(infos, func(i backend.TensorInfo) bool { return i.Name == name })] = to
}

// spoiledForms contains forms with invalid tensors, and the expected errors.
var spoiledForms = []struct {
	name  string
	form  int
	spoil func(p []*part)
	parts []string
}{
	{"no source", 0, func(p []*part) { remove(&p[0].in, "input_ids") },
		[]string{"encoder: want one input of tokens, or one of features: attention_mask, input_features"}},
	{"two sources", 0, func(p []*part) { p[0].in = append(p[0].in, floats("mel", -1, 8, -1)) },
		[]string{"encoder: want one input of tokens, or one"}},
	{"an unknown source", 0, func(p []*part) { p[0].in = append(p[0].in, floats("speaker", -1, 8)) },
		[]string{"encoder: input speaker float32[N,8] is unknown"}},
	{"a source of int32", 4, func(p []*part) { p[0].in[0].DType = backend.Int32 },
		[]string{"encoder: input src int32[N,N], want int64[N,N]"}},
	{"no tokens", 0, func(p []*part) { remove(&p[1].in, "input_ids") },
		[]string{"decoder: an input of tokens is missing, want one of", "decoder_input_ids"}},
	{"no logits", 3, func(p []*part) { remove(&p[1].out, "logits") },
		[]string{"decoder: output logits is missing"}},
	{"half logits", 3, func(p []*part) { p[1].out[0].DType = backend.Float16 },
		[]string{"logits float16", "want float32[N,VOCABULARY]"}},
	{"a state without its output", 4, func(p []*part) { remove(&p[1].out, "h_out") },
		[]string{"decoder: it has no state"}},
	{"an input of nothing", 4, func(p []*part) { p[1].in = append(p[1].in, floats("c", 1, -1, netWidth)) },
		[]string{`input "c" is neither a state, for which an output "c_out" is missing, nor of the encoder`}},
	{"a state without its input", 3, func(p []*part) { remove(&p[1].in, "in_n_layer_self_v_cache") },
		[]string{`"out_n_layer_self_v_cache" is a state without its input "in_n_layer_self_v_cache"`}},
	{"a past without its present", 0, func(p []*part) { remove(&p[2].out, "present.1.decoder.key") },
		[]string{`"past_key_values.1.decoder.key" is neither a state`, `an output "present.1.decoder.key" is missing`}},
	{"a first run without a present", 0, func(p []*part) { remove(&p[1].out, "present.0.decoder.value") },
		[]string{`output "present.0.decoder.value" is missing, for the input "past_key_values.0.decoder.value"`}},
	{"a first run without the encoder's keys", 0, func(p []*part) {
		remove(&p[1].out, "present.0.encoder.key")
	}, []string{`decoder: output "present.0.encoder.key" is missing`}},
	{"no memory", 1, func(p []*part) { p[0].out[0].Name = "hidden" },
		[]string{`input "encoder_hidden_states" is neither`}},
	{"another width of the encoder", 0, func(p []*part) { p[0].out[0].Shape = []int64{-1, -1, 5} },
		[]string{"output last_hidden_state float32[N,N,5], want float32[N,N,6] as the input \"encoder_hidden_states\""}},
	{"another type of state", 4, func(p []*part) { p[1].out[1].DType = backend.Float16 },
		[]string{"output h_out float16[1,N,6], want float32[1,N,6]"}},
	{"a fixed batch", 4, func(p []*part) { p[1].in[3].Shape = []int64{1, 1, netWidth} },
		[]string{"input h float32[1,1,6], want one free dimension for rows"}},
	{"free in all", 1, func(p []*part) {
		change(p[1].in, "past_key_values.0.decoder.key", floats("past_key_values.0.decoder.key", -1, -1, -1, netDim))
	}, []string{"past_key_values.0.decoder.key float32[N,N,N,3], want one free dimension for rows, one more at most"}},
	{"a state beyond reason", 4, func(p []*part) { p[1].in[3].Shape = []int64{1 << 40, -1, 1 << 40} },
		[]string{"a size within reason"}},
	{"a free cache in place", 3, func(p []*part) {
		p[1].in[1].Shape = []int64{netLayers, -1, -1, netWidth}
	}, []string{"want a fixed width beside the input offset"}},
	{"no past at all", 0, func(p []*part) {
		p[1].out, p[2].in, p[2].out = p[1].out[:1], p[2].in[:2], p[2].out[:1]
	}, []string{"decoder with past: it has no state: export it with its past"}},
	{"two faults", 4, func(p []*part) { remove(&p[1].out, "logits"); remove(&p[0].in, "src") },
		[]string{"logits is missing", "encoder: want one input"}},
}

func TestEncoderDecodersThatAreNone(t *testing.T) {
	for _, c := range spoiledForms {
		t.Run(c.name, func(t *testing.T) {
			p := netForms()[c.form].parts(newNet(1))
			c.spoil(p)
			_, err := generate.NewEncoderDecoder(sessions(p), generate.GeneratorOptions{Start: netStart})
			if !errors.Is(err, generate.ErrEncoderDecoder) {
				t.Fatalf("error %v, want an ErrEncoderDecoder", err)
			}
			for _, want := range c.parts {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
	_, err := generate.NewEncoderDecoder(generate.EncoderDecoder{}, generate.GeneratorOptions{})
	if !errors.Is(err, generate.ErrEncoderDecoder) {
		t.Errorf("error %v of no sessions", err)
	}
}

// TestOutputsThatAreNoState checks the outputs of a run against the requirements of the next one.
func TestOutputsThatAreNoState(t *testing.T) {
	parts := newNet(1).recurrentForm()
	run := parts[1].run
	parts[1].run = func(in map[string]backend.Tensor) map[string]backend.Tensor {
		out := run(in)
		out["h_out"] = newArray(1, len(out)+5, netWidth).tensor()
		return out
	}
	g, err := generate.NewEncoderDecoder(sessions(parts), generate.GeneratorOptions{Start: netStart})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	err = g.Generate(t.Context(), netForms()[4].sources(1, 1)[0], &answer{})
	if !errors.Is(err, generate.ErrEncoderDecoder) ||
		!strings.Contains(err.Error(), "h is float32[1,7,6], want float32[1,1,6]") {
		t.Errorf("error %v", err)
	}
}

func TestBadEncoderDecoderOptionsAndPrompts(t *testing.T) {
	for _, c := range []struct {
		form int
		o    generate.GeneratorOptions
		want string
	}{
		{0, generate.GeneratorOptions{}, "Start is empty"},
		{0, generate.GeneratorOptions{Start: []int32{netVocab}}, "Start: token 0 is 19, want one of [0, 19)"},
		{3, generate.GeneratorOptions{Start: netStart}, "features, which Features has to make of audio"},
		{4, generate.GeneratorOptions{Start: netStart, MaxSequences: 1 << 17, Source: 30}, "bytes are copied at each step"},
	} {
		_, err := generate.NewEncoderDecoder(sessions(netForms()[c.form].parts(newNet(1))), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
	admitted := generate.GeneratorOptions{MaxSequences: 1 << 17, Source: 30, CopyState: true}
	netForms()[4].open(t, newNet(1), false, 1, admitted)
	good := backend.Prompt{Tokens: []int32{1}, Audio: []float32{1}, MaxNewTokens: 2, EOS: []int32{0}}
	for _, c := range []struct {
		form  int
		rule  generate.BeamRule
		spoil func(p *backend.Prompt)
		want  string
	}{
		{0, 0, func(p *backend.Prompt) { p.Tokens = nil }, "no tokens, which the encoder takes"},
		{0, 0, func(p *backend.Prompt) { p.Tokens = []int32{-1} }, "token 0 is -1"},
		{0, generate.GNMT, func(p *backend.Prompt) { p.EOS = []int32{0, 1} }, "2 end tokens, want the one that GNMT's rule"},
		{3, 0, func(p *backend.Prompt) { p.Audio = nil }, "no audio, of which the encoder takes features"},
		{3, 0, func(p *backend.Prompt) { p.MaxNewTokens = 47 }, "behind 2 tokens to start with, the cache takes 48"},
	} {
		p := good
		c.spoil(&p)
		g := netForms()[c.form].open(t, newNet(1), false, 1, generate.GeneratorOptions{Beams: c.rule})
		err := g.Generate(t.Context(), p, &answer{})
		if !errors.Is(err, generate.ErrPrompt) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
}

// A failed run ends its sequences. Later sequences are answered.
func TestFailedRunOfADecoder(t *testing.T) {
	f := netForms()[4]
	n := newNet(1)
	parts := f.parts(n)
	run, left := parts[1].run, 5
	parts[1].run = func(in map[string]backend.Tensor) map[string]backend.Tensor {
		if left--; left == 0 {
			return nil
		}
		return run(in)
	}
	for _, p := range parts {
		p.keeps = true
	}
	g, err := generate.NewEncoderDecoder(sessions(parts), generate.GeneratorOptions{Start: netStart})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	p := f.sources(1, 1)[0]
	p.MaxNewTokens, p.MinNewTokens = 12, 12
	if err := g.Generate(t.Context(), p, &answer{}); err == nil || !strings.Contains(err.Error(), "no output logits") {
		t.Errorf("error %v, want the session's", err)
	}
	generateAll(t, g, []backend.Prompt{p})[0].check(t, greedyBy(f.logits(n), netStart, p))
}

// BenchmarkForms generates 64 answers of 12 tokens together with a network whose own time is negligible.
func BenchmarkForms(b *testing.B) {
	for _, f := range netForms() {
		for _, keeps := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/keeps=%v", f.name, keeps), func(b *testing.B) {
				g := f.open(b, newNet(1), keeps, 1, generate.GeneratorOptions{MaxSequences: 16, PromptTokens: 64})
				all := f.sources(64, 2)
				for i := range all {
					all[i].MinNewTokens, all[i].MaxNewTokens = 12, 12
				}
				b.ReportAllocs()
				for b.Loop() {
					generateAll(b, g, all)
				}
			})
		}
	}
}

// withLogProbs makes a decoder also return log probabilities, and logits without meaning.
func withLogProbs(d *part) {
	run, scores := d.run, d.out[slices.IndexFunc(d.out, func(o backend.TensorInfo) bool { return o.Name == "logits" })]
	scores.Name = "log_probs"
	d.out = append(d.out, scores)
	d.run = func(in map[string]backend.Tensor) map[string]backend.Tensor {
		got := run(in)
		got["log_probs"] = logSoftmax(got["logits"])
		clear(got["logits"].Data)
		return got
	}
}

// logSoftmax returns the logarithms of the softmax over the last dimension.
func logSoftmax(t backend.Tensor) backend.Tensor {
	a := array{slices.Clone(backend.View[float32](t.Data)), t.Shape}
	for row := range slices.Chunk(a.values, int(t.Shape[len(t.Shape)-1])) {
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(float64(v))
		}
		for i := range row {
			row[i] -= float32(math.Log(sum))
		}
	}
	return a.tensor()
}

// TestLogProbabilitiesTakeThePlaceOfLogits searches with decoders that return both. The last form is omitted, because
// only its logits are read.
func TestLogProbabilitiesTakeThePlaceOfLogits(t *testing.T) {
	for _, f := range netForms()[:5] {
		all := f.sources(25, 6)
		for i := range all {
			all[i].Beams = 1 + i%4
		}
		normal := f
		normal.parts = func(n *net) []*part {
			parts := f.parts(n)
			for _, d := range parts[1:] {
				withLogProbs(d)
			}
			return parts
		}
		for _, rule := range []generate.BeamRule{generate.HuggingFace, generate.GNMT} {
			o := generate.GeneratorOptions{MaxSequences: 9, Beams: rule}
			want := generateAll(t, f.open(t, newNet(2), true, 2, o), all)
			for i, a := range generateAll(t, normal.open(t, newNet(2), true, 2, o), all) {
				if !slices.Equal(a.all, want[i].all) {
					t.Errorf("%s, rule %d, answer %d: %v, want %v", f.name, rule, i, a.all, want[i].all)
				}
			}
		}
	}
}
