package generate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// shaped is a session with the tensors of a test.
type shaped struct {
	toy
	in, out []backend.TensorInfo
}

func (s *shaped) Inputs() []backend.TensorInfo  { return s.in }
func (s *shaped) Outputs() []backend.TensorInfo { return s.out }

func TestModelsThatAreNoDecoders(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(s *shaped)
		parts []string
	}{
		{"no past", func(s *shaped) { s.in, s.out = s.in[:3], s.out[:1] }, []string{"it has no past"}},
		{"no logits", func(s *shaped) { s.out = s.out[1:] }, []string{"logits is missing"}},
		{"no ids", func(s *shaped) { s.in = s.in[1:] }, []string{"input_ids is missing"}},
		{"a value is missing", func(s *shaped) { s.in = s.in[:len(s.in)-1] }, []string{"past_key_values.1.value is missing"}},
		{"a layer is missing", func(s *shaped) { s.in = slices.Delete(s.in, 3, 5) },
			[]string{"past_key_values.0.key is missing", "past_key_values.0.value is missing"}},
		{"fewer presents", func(s *shaped) { s.out = s.out[:3] }, []string{"4 past and 2 present"}},
		{"ids of int32", func(s *shaped) { s.in[0].DType = backend.Int32 }, []string{"input_ids int32[N,N], want int64"}},
		{"a fixed batch", func(s *shaped) { s.in[1].Shape = []int64{1, -1} }, []string{"attention_mask int64[1,N]"}},
		{"logits of float16", func(s *shaped) { s.out[0].DType = backend.Float16 },
			[]string{"logits float16", "want float32"}},
		{"free heads", func(s *shaped) { s.in[3].Shape = []int64{-1, -1, -1, 1} },
			[]string{"past_key_values.0.key float32[N,N,N,1], want [N,HEADS,N,DIM] with fixed heads"}},
		{"another width", func(s *shaped) { s.in[4].Shape = []int64{-1, 2, -1, 8} },
			[]string{"past_key_values.0.value float32[N,2,N,8], want float32[N,2,N,1] as the others"}},
		{"an unknown input", func(s *shaped) { s.in = append(s.in, backend.TensorInfo{Name: "encoder_hidden_states"}) },
			[]string{`"encoder_hidden_states" is unknown`}},
		{"a layer beyond reason", func(s *shaped) { s.in[3].Name = "past_key_values.99999.key" },
			[]string{`"past_key_values.99999.key" is unknown`}},
		{"a fixed cache", func(s *shaped) { s.in[3].Shape = []int64{-1, 2, 64, 1} },
			[]string{"past_key_values.0.key float32[N,2,64,1], want [N,HEADS,N,DIM]", "free lengths"}},
		{"half a cache in place", func(s *shaped) {
			s.in[1] = backend.TensorInfo{Name: "write_indices", DType: backend.Int64, Shape: []int64{-1}}
		}, []string{"nonpad_kv_seqlen is missing"}},
		{"both kinds of cache", func(s *shaped) {
			s.in[2] = backend.TensorInfo{Name: "nonpad_kv_seqlen", DType: backend.Int32, Shape: []int64{-1}}
		}, []string{"nonpad_kv_seqlen int32[N], want int64[N]", "write_indices is missing",
			"attention_mask beside write_indices"}},
		{"two faults", func(s *shaped) { s.in[0].DType, s.out = backend.Int32, s.out[1:] },
			[]string{"input_ids int32", "logits is missing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shaped{toy: toy{vocab: 5, layers: 2}}
			s.in, s.out = s.toy.Inputs(), s.toy.Outputs()
			c.spoil(s)
			_, err := generate.New(s, generate.GeneratorOptions{})
			if !errors.Is(err, generate.ErrModel) {
				t.Fatalf("error %v, want an ErrModel", err)
			}
			for _, part := range c.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}

// unsaid is a toy whose logits have no fixed width, so the width is found in its outputs.
type unsaid struct{ toy }

func (u *unsaid) Outputs() []backend.TensorInfo {
	out := u.toy.Outputs()
	out[0].Shape = []int64{-1, -1, -1}
	return out
}

func (u *unsaid) Run(ctx ctx, in, out []backend.Tensor) error {
	n := in[0].Shape[0] * in[0].Shape[1] * int64(u.vocab)
	out[0] = backend.Tensor{
		DType: backend.Float32, Shape: []int64{in[0].Shape[0], in[0].Shape[1], int64(u.vocab)}, Data: make([]byte, 4*n),
	}
	return u.toy.Run(ctx, in, out)
}

func TestVocabularyThatTheModelDoesNotSay(t *testing.T) {
	g := open(t, &unsaid{toy{vocab: 30, layers: 1, favour: 1}}, generate.GeneratorOptions{})
	all := prompts(10, 5)
	for i, a := range generateAll(t, g, all) {
		a.check(t, (&toy{vocab: 30, layers: 1, favour: 1}).greedy(all[i]))
	}
}

func TestLogitsThatAreNoNumbers(t *testing.T) {
	for _, beams := range []int{1, 3} {
		g := open(t, &unsaid{toy{vocab: 30, layers: 1, favour: nan()}}, generate.GeneratorOptions{})
		p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 3, Beams: beams}
		if err := g.Generate(t.Context(), p, &answer{}); err == nil ||
			!strings.Contains(err.Error(), "logits are not numbers") {
			t.Errorf("%d beams: error %v", beams, err)
		}
	}
}
