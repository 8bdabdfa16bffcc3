package rag

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about an encoder's output.
var errOutput = errors.New("the encoder's output is not what the benchmark needs")

// rowTokenizer converts texts to rows of token IDs. It is read-only.
type rowTokenizer struct {
	*wordpiece.Tokenizer
	maxTokens      int
	classID, endID int32
}

func newRowTokenizer(t *wordpiece.Tokenizer, maxTokens int) *rowTokenizer {
	class, _ := t.ID(wordpiece.Class)
	end, _ := t.ID(wordpiece.Separator)
	return &rowTokenizer{t, maxTokens, class, end}
}

// makeRow returns the token IDs of a text between [CLS] and [SEP], truncated to maxTokens tokens.
func (t *rowTokenizer) makeRow(text string, maxTokens int) []int32 {
	ids := t.Encode([]int32{t.classID}, text)
	return append(ids[:min(len(ids), maxTokens-1)], t.endID)
}

// completeEncoder returns m with an encoder's tensors: token IDs, mask and types [B,T] as inputs, and the last hidden
// states [B,T,D] as the output.
func completeEncoder(m backend.Model) backend.Model {
	ids := func(name string) backend.TensorInfo {
		return backend.TensorInfo{Name: name, DType: backend.Int64, Shape: []int64{-1, -1}}
	}
	m.Inputs = []backend.TensorInfo{ids("input_ids"), ids("attention_mask"), ids("token_type_ids")}
	m.Outputs = []backend.TensorInfo{{Name: "last_hidden_state", DType: backend.Float32, Shape: []int64{-1, -1, -1},
		Aliases: []string{"token_embeddings"}}}
	return m
}

// textEncoder runs texts through a session. It must be used by one goroutine only.
type textEncoder struct {
	session backend.Session
	tokens  *rowTokenizer
	in      [3][]int64
}

// hiddenStates contains the states of rows. The states of row i begin at index i*width*dim; each token has dim values.
type hiddenStates struct {
	backend.Tensor
	states     []float32
	width, dim int
	rows       [][]int32
}

// rowStates returns the states of the tokens in row i.
func (h *hiddenStates) rowStates(i int) []float32 {
	return h.states[i*h.width*h.dim:][:len(h.rows[i])*h.dim]
}

// runRows runs rows through the session, padded to the longest one. The result is valid until it is released.
func (e *textEncoder) runRows(ctx context.Context, rows [][]int32) (*hiddenStates, error) {
	n, width := len(rows), 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	for k := range e.in {
		if cap(e.in[k]) < n*width {
			e.in[k] = make([]int64, n*width)
		}
		e.in[k] = e.in[k][:n*width]
		clear(e.in[k])
	}
	pad, _ := e.tokens.ID(wordpiece.Padding)
	for i, r := range rows {
		for k := range width {
			at := i*width + k
			if e.in[0][at] = int64(pad); k < len(r) {
				e.in[0][at], e.in[1][at] = int64(r[k]), 1
			}
		}
	}
	shape := []int64{int64(n), int64(width)}
	in := make([]backend.Tensor, len(e.in))
	for k, info := range e.session.Inputs() {
		in[k] = backend.Tensor{Name: info.Name, DType: backend.Int64, Shape: shape, Data: backend.Bytes(e.in[k])}
	}
	out := make([]backend.Tensor, 1)
	if err := e.session.Run(ctx, in, out); err != nil {
		return nil, err
	}
	h := &hiddenStates{Tensor: out[0], width: width, rows: rows}
	if s := out[0].Shape; out[0].DType != backend.Float32 || len(s) != 3 || s[0] != int64(n) || s[1] != int64(width) ||
		s[2] < 1 || int64(len(out[0].Data)) != 4*s[0]*s[1]*s[2] {
		h.Release()
		return nil, fmt.Errorf("%w: %v%s of %d bytes, want float32[%d,%d,dim]", errOutput, out[0].DType,
			backend.ShapeString(s), len(out[0].Data), n, width)
	}
	h.states, h.dim = backend.View[float32](out[0].Data), int(out[0].Shape[2])
	return h, nil
}

// textsPerRun is the number of texts per run of an encoder.
const textsPerRun = 16

// embedTexts returns a vector of length 1 for each text: the normalized mean of its tokens' states.
func (e *textEncoder) embedTexts(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	for from := 0; from < len(texts); from += textsPerRun {
		var rows [][]int32
		for _, text := range texts[from:min(from+textsPerRun, len(texts))] {
			rows = append(rows, e.tokens.makeRow(text, e.tokens.maxTokens))
		}
		h, err := e.runRows(ctx, rows)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			v := normalizedMean(h.rowStates(i), h.dim)
			if v == nil {
				h.Release()
				return nil, fmt.Errorf("%w: the states of text %d have no finite mean above 0", errOutput, from+i)
			}
			vectors = append(vectors, v)
		}
		h.Release()
	}
	return vectors, nil
}

// normalizedMean returns the mean of the states, scaled to length 1, or nil if its length is 0.
func normalizedMean(states []float32, dim int) []float32 {
	v := make([]float32, dim)
	for at := 0; at < len(states); at += dim {
		for k, x := range states[at : at+dim] {
			v[k] += x
		}
	}
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	length := float32(math.Sqrt(square))
	if !(length > 0) || math.IsInf(float64(length), 0) {
		return nil
	}
	for k := range v {
		v[k] /= length
	}
	return v
}

// queryTokens is the number of tokens of a query that a reranker reads.
const queryTokens = 32

// scoreTexts returns how well each text matches a query. The score adds, for each token of the query, the largest dot
// product with a token of the text.
func (e *textEncoder) scoreTexts(ctx context.Context, query string, texts []string) ([]float32, error) {
	asked, err := e.runRows(ctx, [][]int32{e.tokens.makeRow(query, queryTokens)})
	if err != nil {
		return nil, err
	}
	defer asked.Release()
	var rows [][]int32
	for _, text := range texts {
		rows = append(rows, e.tokens.makeRow(text, e.tokens.maxTokens))
	}
	h, err := e.runRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if h.dim != asked.dim {
		return nil, fmt.Errorf("%w: states of %d and of %d values", errOutput, asked.dim, h.dim)
	}
	scores := make([]float32, len(texts))
	for i := range scores {
		scores[i] = maxSim(asked.rowStates(0), h.rowStates(i), h.dim)
	}
	return scores, nil
}

// maxSim returns the sum, over the tokens of a query, of the largest dot product with a token of a passage. Without
// passage tokens it is minus infinity; without query tokens it is 0. Both arguments are states of dim values per token.
func maxSim(query, passage []float32, dim int) float32 {
	sum := float32(0)
	for ; len(query) > 0; query = query[dim:] {
		best := float32(math.Inf(-1))
		for at := 0; at < len(passage); at += dim {
			best = max(best, index.Dot(query[:dim], passage[at:at+dim]))
		}
		sum += best
	}
	return sum
}
