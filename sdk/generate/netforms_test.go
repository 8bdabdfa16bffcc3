package generate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// part is one graph of the net as a session. run gets its inputs by name.
type part struct {
	in, out []backend.TensorInfo
	run     func(in map[string]backend.Tensor) map[string]backend.Tensor
	keeps   bool
	keep    tensorcache.Runs
	atATime int
	closed  int
}

// elsewhere represents memory outside this process.
type elsewhere struct{}

func (p *part) Inputs() []backend.TensorInfo  { return p.in }
func (p *part) Outputs() []backend.TensorInfo { return p.out }
func (p *part) Limits() backend.Limits        { return backend.Limits{Concurrency: p.atATime} }

func (p *part) Close() error {
	p.closed++
	return nil
}

func (p *part) CacheMemory() any {
	if !p.keeps {
		return nil
	}
	return elsewhere{}
}

func (p *part) Run(_ context.Context, in, out []backend.Tensor) error {
	return p.keep.Run(in, out, func(in, out []backend.Tensor) error {
		if err := backend.CheckTensors("input", p.in, in); err != nil {
			return err
		}
		byName := map[string]backend.Tensor{}
		for i, info := range p.in {
			byName[info.Name] = in[i]
		}
		got := p.run(byName)
		for i, info := range p.out {
			kept := out[i].KeepOutput
			if out[i] = got[info.Name]; out[i].Shape == nil {
				return fmt.Errorf("no output %s", info.Name)
			}
			out[i].KeepOutput = kept
		}
		return backend.CheckTensors("output", p.out, out)
	})
}

func ids(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Int64, Shape: shape}
}

func floats(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Float32, Shape: shape}
}

// array builds or reads a tensor.
type array struct {
	values []float32
	shape  []int64
}

func newArray(shape ...int) *array {
	a := &array{shape: make([]int64, len(shape))}
	for i, d := range shape {
		a.shape[i] = int64(d)
	}
	a.values = make([]float32, backend.Elements(a.shape))
	return a
}

func read(t backend.Tensor) *array { return &array{backend.View[float32](t.Data), t.Shape} }

// at returns the last dimension's values at an index of the others.
func (a *array) at(index ...int) []float32 {
	n := 0
	for i, x := range index {
		n = n*int(a.shape[i]) + x
	}
	width := int(a.shape[len(a.shape)-1])
	return a.values[n*width:][:width]
}

func (a *array) tensor() backend.Tensor {
	return backend.Tensor{DType: backend.Float32, Shape: a.shape, Data: backend.Bytes(a.values)}
}

// byHeads reads row r of [N,HEADS,P,DIM].
func byHeads(a *array, r int) matrix {
	m := make(matrix, a.shape[2])
	for i := range m {
		for h := range netHeads {
			m[i] = append(m[i], a.at(r, h, i)...)
		}
	}
	return m
}

// heads returns [N,HEADS,P,DIM] for the rows' matrices, with at least this width. It fills shorter ones with noise on
// the right, which must have no effect.
func heads(rows []matrix, width int) backend.Tensor {
	for _, m := range rows {
		width = max(width, len(m))
	}
	a := newArray(len(rows), netHeads, width, netDim)
	for i := range a.values {
		a.values[i] = 7
	}
	for r, m := range rows {
		for i, x := range m {
			for h := range netHeads {
				copy(a.at(r, h, i), x[h*netDim:])
			}
		}
	}
	return a.tensor()
}

// lengthsOf returns the number of ones in each row of a mask.
func lengthsOf(mask backend.Tensor) []int {
	all := make([]int, mask.Shape[0])
	for i, v := range backend.View[int64](mask.Data) {
		all[i/int(mask.Shape[1])] += int(v)
	}
	return all
}

// encoder is the encoder of all forms except sherpa-onnx's. Its output after a source's length is noise.
func (n *net) encoder(in, out []backend.TensorInfo, more func(memory []matrix) map[string]backend.Tensor) *part {
	return &part{in: in, out: out, run: func(t map[string]backend.Tensor) map[string]backend.Tensor {
		source := t[in[0].Name]
		width := int(source.Shape[1])
		lengths := make([]int, source.Shape[0])
		if in[1].Name == "attention_mask" {
			lengths = lengthsOf(t[in[1].Name])
		} else {
			for i, v := range backend.View[int64](t[in[1].Name].Data) {
				lengths[i] = int(v)
			}
		}
		memory := newArray(len(lengths), width, netWidth)
		all := make([]matrix, len(lengths))
		for r, length := range lengths {
			all[r] = n.encode(backend.View[int64](source.Data)[r*width:][:length])
			for i := range width {
				copy(memory.at(r, i), slices.Repeat([]float32{9}, netWidth))
			}
			for i, x := range all[r] {
				copy(memory.at(r, i), x)
			}
		}
		got := more(all)
		got[out[0].Name] = memory.tensor()
		return got
	}}
}

// decoded runs tokens of each row with its remembered state, and returns the logits of all.
func (n *net) decoded(rows []remembered, tokens backend.Tensor) backend.Tensor {
	width := int(tokens.Shape[1])
	logits := newArray(len(rows), width, netVocab)
	for r := range rows {
		for i, id := range backend.View[int64](tokens.Data)[r*width:][:width] {
			copy(logits.at(r, i), n.step(&rows[r], id))
		}
	}
	return logits.tensor()
}

// optimumNames returns the keys and values with their names in optimum's forms.
func optimumNames(prefix string, kinds ...string) (all []backend.TensorInfo) {
	for i := range netLayers {
		for _, kind := range kinds {
			for _, which := range []string{"key", "value"} {
				all = append(all, floats(fmt.Sprintf("%s.%d.%s.%s", prefix, i, kind, which), -1, netHeads, -1, netDim))
			}
		}
	}
	return all
}

// each calls f with every key and value of rows, by the end of its name.
func each(rows []remembered, f func(name string, of func(r int) *matrix)) {
	for i := range netLayers {
		f(fmt.Sprintf("%d.decoder.key", i), func(r int) *matrix { return &rows[r].k[i] })
		f(fmt.Sprintf("%d.decoder.value", i), func(r int) *matrix { return &rows[r].v[i] })
		f(fmt.Sprintf("%d.encoder.key", i), func(r int) *matrix { return &rows[r].crossK[i] })
		f(fmt.Sprintf("%d.encoder.value", i), func(r int) *matrix { return &rows[r].crossV[i] })
	}
}

// presents returns the tensors of all keys and values. Those of the encoder are as wide as its sources.
func presents(rows []remembered, sources int) map[string]backend.Tensor {
	got := map[string]backend.Tensor{}
	each(rows, func(name string, of func(r int) *matrix) {
		all := make([]matrix, len(rows))
		for r := range rows {
			all[r] = *of(r)
		}
		width := 0
		if strings.Contains(name, "encoder") {
			width = sources
		}
		got["present."+name] = heads(all, width)
	})
	return got
}

// firstRun is a decoder's run without a past.
func (n *net) firstRun(t map[string]backend.Tensor) map[string]backend.Tensor {
	lengths := lengthsOf(t["encoder_attention_mask"])
	rows, memory := make([]remembered, len(lengths)), read(t["encoder_hidden_states"])
	for r, length := range lengths {
		m := make(matrix, length)
		for i := range m {
			m[i] = memory.at(r, i)
		}
		rows[r] = n.cross(m)
	}
	logits := n.decoded(rows, t["input_ids"])
	got := presents(rows, int(t["encoder_attention_mask"].Shape[1]))
	got["logits"] = logits
	return got
}

// laterRun is a decoder's run with a past.
func (n *net) laterRun(t map[string]backend.Tensor) map[string]backend.Tensor {
	lengths := lengthsOf(t["encoder_attention_mask"])
	rows := make([]remembered, len(lengths))
	each(rows, func(name string, of func(r int) *matrix) {
		a := read(t["past_key_values."+name])
		for r := range rows {
			*of(r) = byHeads(a, r)
		}
	})
	for r, length := range lengths {
		for i := range netLayers {
			rows[r].crossK[i], rows[r].crossV[i] = rows[r].crossK[i][:length], rows[r].crossV[i][:length]
		}
	}
	logits := n.decoded(rows, t["input_ids"])
	got := presents(rows, int(t["encoder_attention_mask"].Shape[1]))
	got["logits"] = logits
	return got
}

func (n *net) optimumEncoder() *part {
	return n.encoder([]backend.TensorInfo{ids("input_ids", -1, -1), ids("attention_mask", -1, -1)},
		[]backend.TensorInfo{floats("last_hidden_state", -1, -1, netWidth)},
		func([]matrix) map[string]backend.Tensor { return map[string]backend.Tensor{} })
}

// twoDecoders is optimum's form with one decoder without a past and one with a past.
func (n *net) twoDecoders() []*part {
	logits := floats("logits", -1, -1, netVocab)
	mask := ids("encoder_attention_mask", -1, -1)
	return []*part{n.optimumEncoder(), {
		in:  []backend.TensorInfo{ids("input_ids", -1, -1), mask, floats("encoder_hidden_states", -1, -1, netWidth)},
		out: append([]backend.TensorInfo{logits}, optimumNames("present", "decoder", "encoder")...),
		run: n.firstRun,
	}, {
		in: append([]backend.TensorInfo{ids("input_ids", -1, 1), mask},
			optimumNames("past_key_values", "decoder", "encoder")...),
		out: append([]backend.TensorInfo{logits}, optimumNames("present", "decoder")...),
		run: n.laterRun,
	}}
}

// firstDecoder is only the first of the two. Its keys and values are not read.
func (n *net) firstDecoder() []*part { return n.twoDecoders()[:2] }

// merged is optimum's form of one decoder with two branches. The branch with a past returns invalid keys of the
// encoder.
func (n *net) merged() []*part {
	in := []backend.TensorInfo{
		ids("input_ids", -1, -1), ids("encoder_attention_mask", -1, -1), floats("encoder_hidden_states", -1, -1, netWidth),
		{Name: "use_cache_branch", DType: backend.Bool, Shape: []int64{1}},
	}
	return []*part{n.optimumEncoder(), {
		in: append(in, optimumNames("past_key_values", "decoder", "encoder")...),
		out: append([]backend.TensorInfo{floats("logits", -1, -1, netVocab)},
			optimumNames("present", "decoder", "encoder")...),
		run: func(t map[string]backend.Tensor) map[string]backend.Tensor {
			if t["use_cache_branch"].Data[0] == 0 {
				return n.firstRun(t)
			}
			got := n.laterRun(t)
			for i := range netLayers {
				for _, which := range []string{"key", "value"} {
					got[fmt.Sprintf("present.%d.encoder.%s", i, which)] = newArray(1, netHeads, 0, netDim).tensor()
				}
			}
			return got
		},
	}}
}

// noPast is a decoder that remembers only tokens and processes all of them each time.
func (n *net) noPast() []*part {
	return []*part{n.optimumEncoder(), {
		in: []backend.TensorInfo{
			ids("token", -1), ids("before", -1, -1),
			ids("encoder_attention_mask", -1, -1), floats("encoder_hidden_states", -1, -1, netWidth),
		},
		out: []backend.TensorInfo{floats("logits", -1, netVocab), ids("before_out", -1, -1)},
		run: func(t map[string]backend.Tensor) map[string]backend.Tensor {
			before, tokens := t["before"], backend.View[int64](t["token"].Data)
			rows, past := len(tokens), int(before.Shape[1])
			var all []int64
			for r, id := range tokens {
				all = append(append(all, backend.View[int64](before.Data)[r*past:][:past]...), id)
			}
			after := backend.Tensor{DType: backend.Int64, Shape: []int64{int64(rows), int64(past + 1)}, Data: backend.Bytes(all)}
			t["input_ids"] = after
			scores, last := read(n.firstRun(t)["logits"]), newArray(rows, netVocab)
			for r := range rows {
				copy(last.at(r), scores.at(r, past))
			}
			return map[string]backend.Tensor{"logits": last.tensor(), "before_out": after}
		},
	}}
}

// sherpaCapacity is the number of tokens in the cache of sherpa-onnx's form.
const sherpaCapacity = 48

// sherpa is sherpa-onnx's form: features, an in-place cache with an offset, layers before rows.
func (n *net) sherpa() []*part {
	cross := func(name string) backend.TensorInfo { return floats(name, netLayers, -1, -1, netWidth) }
	cache := func(name string) backend.TensorInfo { return floats(name, netLayers, -1, sherpaCapacity, netWidth) }
	return []*part{{
		in:  []backend.TensorInfo{floats("mel", -1, 1, -1)},
		out: []backend.TensorInfo{cross("n_layer_cross_k"), cross("n_layer_cross_v")},
		run: n.sherpaEncoder,
	}, {
		in: []backend.TensorInfo{
			ids("tokens", -1, -1), cache("in_n_layer_self_k_cache"), cache("in_n_layer_self_v_cache"),
			cross("n_layer_cross_k"), cross("n_layer_cross_v"), ids("offset", 1),
		},
		out: []backend.TensorInfo{
			floats("logits", -1, -1, netVocab), cache("out_n_layer_self_k_cache"), cache("out_n_layer_self_v_cache"),
		},
		run: n.sherpaDecoder,
	}}
}

// sherpaEncoder uses token ids as features, one in each frame.
func (n *net) sherpaEncoder(t map[string]backend.Tensor) map[string]backend.Tensor {
	mel := read(t["mel"])
	rows, width := int(mel.shape[0]), int(mel.shape[2])
	k, v := newArray(netLayers, rows, width, netWidth), newArray(netLayers, rows, width, netWidth)
	for r := range rows {
		var source []int64
		for _, x := range mel.at(r, 0) {
			source = append(source, int64(x))
		}
		made := n.cross(n.encode(source))
		for l := range netLayers {
			for i := range width {
				copy(k.at(l, r, i), made.crossK[l][i])
				copy(v.at(l, r, i), made.crossV[l][i])
			}
		}
	}
	return map[string]backend.Tensor{"n_layer_cross_k": k.tensor(), "n_layer_cross_v": v.tensor()}
}

func (n *net) sherpaDecoder(t map[string]backend.Tensor) map[string]backend.Tensor {
	k, v := read(t["in_n_layer_self_k_cache"]), read(t["in_n_layer_self_v_cache"])
	crossK, crossV := read(t["n_layer_cross_k"]), read(t["n_layer_cross_v"])
	before := int(backend.View[int64](t["offset"].Data)[0])
	column := func(a *array, l, r, n int) (m matrix) {
		for i := range n {
			m = append(m, a.at(l, r, i))
		}
		return m
	}
	rows := make([]remembered, k.shape[1])
	for r := range rows {
		for l := range netLayers {
			rows[r].k[l], rows[r].v[l] = column(k, l, r, before), column(v, l, r, before)
			rows[r].crossK[l] = column(crossK, l, r, int(crossK.shape[2]))
			rows[r].crossV[l] = column(crossV, l, r, int(crossK.shape[2]))
		}
	}
	logits := n.decoded(rows, t["tokens"])
	newK := newArray(netLayers, len(rows), sherpaCapacity, netWidth)
	newV := newArray(netLayers, len(rows), sherpaCapacity, netWidth)
	for r := range rows {
		for l := range netLayers {
			for i := range rows[r].k[l] {
				copy(newK.at(l, r, i), rows[r].k[l][i])
				copy(newV.at(l, r, i), rows[r].v[l][i])
			}
		}
	}
	return map[string]backend.Tensor{
		"logits": logits, "out_n_layer_self_k_cache": newK.tensor(), "out_n_layer_self_v_cache": newV.tensor(),
	}
}

// recurrentForm has a state of fixed size, layers first, whose initial value comes from the encoder.
func (n *net) recurrentForm() []*part {
	encoder := n.encoder([]backend.TensorInfo{ids("src", -1, -1), ids("src_len", -1)},
		[]backend.TensorInfo{floats("memory", -1, -1, netWidth), floats("h0", 1, -1, netWidth)},
		func(memory []matrix) map[string]backend.Tensor {
			h := newArray(1, len(memory), netWidth)
			for r, m := range memory {
				copy(h.at(0, r), m[0])
			}
			return map[string]backend.Tensor{"h0": h.tensor()}
		})
	return []*part{encoder, {
		in: []backend.TensorInfo{
			ids("token", -1), floats("memory", -1, -1, netWidth), ids("src_len", -1), floats("h", 1, -1, netWidth),
		},
		out: []backend.TensorInfo{floats("logits", -1, netVocab), floats("h_out", 1, -1, netWidth)},
		run: n.recurrentDecoder,
	}}
}

func (n *net) recurrentDecoder(t map[string]backend.Tensor) map[string]backend.Tensor {
	tokens, lengths := backend.View[int64](t["token"].Data), backend.View[int64](t["src_len"].Data)
	h, memory := read(t["h"]), read(t["memory"])
	logits, next := newArray(len(tokens), netVocab), newArray(1, len(tokens), netWidth)
	for r, id := range tokens {
		m := make(matrix, lengths[r])
		for i := range m {
			m[i] = memory.at(r, i)
		}
		state, scores := n.recur(h.at(0, r), m, id)
		copy(next.at(0, r), state)
		copy(logits.at(r), scores)
	}
	return map[string]backend.Tensor{"logits": logits.tensor(), "h_out": next.tensor()}
}

// sessions returns a form's parts in the form of the generator.
func sessions(parts []*part) generate.EncoderDecoder {
	p := generate.EncoderDecoder{Encoder: parts[0], Decoder: parts[1]}
	if len(parts) > 2 {
		p.Step = parts[2]
	}
	return p
}
