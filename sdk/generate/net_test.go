package generate_test

import (
	"math"
	"math/rand/v2"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// net is a small network with random weights: a transformer of two layers with an encoder, and a recurrent cell on the
// same sources. Its forms differ in their state between steps, and in the names of their tensors.
type net struct {
	source, token, position, out matrix
	layers                       [netLayers]layer
	cell                         matrix
}

const (
	netLayers, netHeads, netDim = 2, 2, 3
	netWidth                    = netHeads * netDim
	netVocab                    = 19
	netLongest                  = 64
)

// layer contains the weights of keys, values and queries, for the decoder's own tokens and for the encoder's output.
type layer struct{ q, k, v, crossQ, crossK, crossV matrix }

// matrix has rows of netWidth values.
type matrix [][]float32

func newMatrix(r *rand.Rand, rows int, scale float64) matrix {
	m := make(matrix, rows)
	for i := range m {
		m[i] = make([]float32, netWidth)
		for j := range m[i] {
			m[i][j] = float32(scale * r.NormFloat64())
		}
	}
	return m
}

func newNet(seed uint64) *net {
	r := rand.New(rand.NewPCG(seed, 9))
	square := func() matrix { return newMatrix(r, netWidth, 0.6) }
	n := &net{
		source: newMatrix(r, netVocab, 1), token: newMatrix(r, netVocab, 1),
		position: newMatrix(r, netLongest, 0.5), out: newMatrix(r, netVocab, 1), cell: square(),
	}
	for i := range n.layers {
		n.layers[i] = layer{square(), square(), square(), square(), square(), square()}
	}
	return n
}

// times returns x in the basis of m's rows.
func (m matrix) times(x []float32) []float32 {
	y := make([]float32, len(m))
	for i, row := range m {
		for j, w := range row {
			y[i] += w * x[j]
		}
	}
	return y
}

func add(a, b []float32) []float32 {
	c := make([]float32, len(a))
	for i := range a {
		c[i] = a[i] + b[i]
	}
	return c
}

// encode returns the encoding of a source: for each position its token, its position and the sum of all tokens.
func (n *net) encode(source []int64) matrix {
	sum := make([]float32, netWidth)
	for _, id := range source {
		sum = add(sum, n.source[id])
	}
	memory := make(matrix, len(source))
	for i, id := range source {
		memory[i] = add(add(n.source[id], n.position[i]), sum)
	}
	return memory
}

// attend returns the attention of a query to keys and values, for each head separately.
func attend(q []float32, keys, values matrix) []float32 {
	y := make([]float32, netWidth)
	for h := 0; h < netWidth; h += netDim {
		weights, total := make([]float64, len(keys)), 0.0
		for i, k := range keys {
			dot := 0.0
			for j := h; j < h+netDim; j++ {
				dot += float64(q[j] * k[j])
			}
			weights[i] = math.Exp(dot / 4)
			total += weights[i]
		}
		for i, v := range values {
			for j := h; j < h+netDim; j++ {
				y[j] += float32(weights[i] / total * float64(v[j]))
			}
		}
	}
	return y
}

// remembered contains the keys and values of one sequence, by layer.
type remembered struct{ k, v, crossK, crossV [netLayers]matrix }

// cross computes the keys and values of an encoding.
func (n *net) cross(memory matrix) (r remembered) {
	for i, l := range n.layers {
		for _, x := range memory {
			r.crossK[i], r.crossV[i] = append(r.crossK[i], l.crossK.times(x)), append(r.crossV[i], l.crossV.times(x))
		}
	}
	return r
}

// step returns the logits after one more token, and adds its keys and values to r.
func (n *net) step(r *remembered, token int64) []float32 {
	x := add(n.token[token], n.position[len(r.k[0])])
	for i, l := range n.layers {
		r.k[i], r.v[i] = append(r.k[i], l.k.times(x)), append(r.v[i], l.v.times(x))
		x = add(x, attend(l.q.times(x), r.k[i], r.v[i]))
		x = add(x, attend(l.crossQ.times(x), r.crossK[i], r.crossV[i]))
	}
	return n.out.times(x)
}

// logits returns the logits after all tokens, computed without a cache.
func (n *net) logits(source, tokens []int64) []float32 {
	r := n.cross(n.encode(source))
	var last []float32
	for _, id := range tokens {
		last = n.step(&r, id)
	}
	return last
}

// recur is the recurrent cell. It returns the state after one more token, and its logits.
func (n *net) recur(h []float32, memory matrix, token int64) (next, logits []float32) {
	x := add(n.cell.times(h), n.token[token])
	x = add(x, attend(x, memory, memory))
	next = make([]float32, netWidth)
	for i, v := range x {
		next[i] = float32(math.Tanh(float64(v)))
	}
	return next, n.out.times(next)
}

// recurrent returns the recurrent cell's logits after all tokens.
func (n *net) recurrent(source, tokens []int64) (last []float32) {
	memory := n.encode(source)
	h := memory[0]
	for _, id := range tokens {
		h, last = n.recur(h, memory, id)
	}
	return last
}

// greedyBy returns the answer to a prompt with logits that are computed without a cache.
func greedyBy(logits func(source, tokens []int64) []float32, start []int32, p backend.Prompt) []int32 {
	source, tokens := wide(p.Tokens), wide(start)
	var ids []int32
	for len(ids) < p.MaxNewTokens {
		best, at := float32(math.Inf(-1)), 0
		for i, v := range logits(source, tokens) {
			if v > best && (i != int(p.EOS[0]) || len(ids) >= p.MinNewTokens) {
				best, at = v, i
			}
		}
		ids, tokens = append(ids, int32(at)), append(tokens, int64(at))
		if at == int(p.EOS[0]) {
			break
		}
	}
	return ids
}

func wide(ids []int32) []int64 {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	return all
}
