package wire

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// AnswerBuffer collects answers for one frame. Its memory is reused for each frame.
type AnswerBuffer struct {
	ids      []loadgen.ResponseID
	payloads []byte
	size     uint32   // of all payloads as long as their sizes are equal
	sizes    []uint32 // of each payload from the first different size on
	tokens   []uint32 // token count of each answer, or nil
}

// AnswerBatch contains the answers of one batch, one per id.
type AnswerBatch struct {
	IDs    []loadgen.ResponseID
	Data   []byte   // concatenated payloads
	Ends   []int    // end offset of each payload
	Tokens []uint32 // token count of each answer; nil if tokens are not generated
}

// Add appends the answers of a batch and copies their data. Either all batches of a buffer have token counts or none.
func (b *AnswerBuffer) Add(a AnswerBatch) {
	start := 0
	for i, end := range a.Ends {
		b.addSize(len(b.ids)+i, uint32(end-start))
		start = end
	}
	b.ids = append(b.ids, a.IDs...)
	b.payloads = append(b.payloads, a.Data[:start]...)
	b.tokens = append(b.tokens, a.Tokens...)
}

// addSize records the size of the payload after n others.
func (b *AnswerBuffer) addSize(n int, size uint32) {
	switch {
	case n == 0:
		b.size = size
	case len(b.sizes) > 0:
		b.sizes = append(b.sizes, size)
	case size != b.size:
		for range n {
			b.sizes = append(b.sizes, b.size)
		}
		b.sizes = append(b.sizes, size)
	}
}

// Len returns the number of answers.
func (b *AnswerBuffer) Len() int { return len(b.ids) }

// Bytes returns the approximate size of the answers on the wire.
func (b *AnswerBuffer) Bytes() int {
	return 4*(len(b.ids)+len(b.sizes)+len(b.tokens)) + len(b.payloads)
}

// Fill sets m to the answers of b. m shares the memory of b.
func (b *AnswerBuffer) Fill(m *pluginpb.Answers) {
	m.Ids, m.Payloads, m.PayloadSizes, m.PayloadSize = Bytes(b.ids), b.payloads, Bytes(b.sizes), b.size
	m.TokenCounts = Bytes(b.tokens)
	if len(b.sizes) > 0 {
		m.PayloadSize = 0
	}
}

// maxKeptBytes is the maximum memory for payloads that a buffer keeps. The memory of a rare larger payload is freed.
const maxKeptBytes = 8 << 20

// Reset empties b and keeps its memory unless it is large.
func (b *AnswerBuffer) Reset() {
	if cap(b.payloads) > maxKeptBytes {
		b.payloads = nil
	}
	b.ids, b.payloads, b.sizes, b.tokens, b.size = b.ids[:0], b.payloads[:0], b.sizes[:0], b.tokens[:0], 0
}

// AnswerIterator iterates over the answers of one frame, in order.
type AnswerIterator struct {
	ids      []loadgen.ResponseID
	sizes    []uint32
	tokens   []uint32
	size     int
	payloads []byte
}

// ParseAnswers parses m. The answers share its memory. If the lengths of its arrays do not match, it returns an error.
func ParseAnswers(m *pluginpb.Answers) (AnswerIterator, error) {
	ids, err := Words[loadgen.ResponseID]("ids of answers", m.GetIds())
	if err != nil {
		return AnswerIterator{}, err
	}
	sizes, err := Words[uint32]("payload sizes", m.GetPayloadSizes())
	if err != nil {
		return AnswerIterator{}, err
	}
	tokens, err := Words[uint32]("token counts", m.GetTokenCounts())
	if err != nil {
		return AnswerIterator{}, err
	}
	a := AnswerIterator{ids: ids, sizes: sizes, tokens: tokens, size: int(m.GetPayloadSize()), payloads: m.GetPayloads()}
	return a, a.checkAnswers()
}

func (a *AnswerIterator) checkAnswers() error {
	if len(a.tokens) > 0 && len(a.tokens) != len(a.ids) {
		return fmt.Errorf("%d token counts for %d answers", len(a.tokens), len(a.ids))
	}
	want := uint64(len(a.ids)) * uint64(a.size)
	if len(a.sizes) > 0 {
		if len(a.sizes) != len(a.ids) {
			return fmt.Errorf("%d payload sizes for %d answers", len(a.sizes), len(a.ids))
		}
		want = 0
		for _, s := range a.sizes {
			want += uint64(s)
		}
	}
	if want != uint64(len(a.payloads)) {
		return fmt.Errorf("%d bytes of payloads, their sizes sum to %d", len(a.payloads), want)
	}
	return nil
}

// Next fills dst with the next answers and returns their number, or 0 at the end. Data shares a's memory.
func (a *AnswerIterator) Next(dst []loadgen.QuerySampleResponse) int {
	n := min(len(dst), len(a.ids))
	for i := range n {
		size := a.size
		if len(a.sizes) > 0 {
			size = int(a.sizes[i])
		}
		dst[i] = loadgen.QuerySampleResponse{ID: a.ids[i], Data: a.payloads[:size:size]}
		if len(a.tokens) > 0 {
			dst[i].NTokens = int64(a.tokens[i])
		}
		a.payloads = a.payloads[size:]
	}
	a.ids = a.ids[n:]
	a.sizes = a.sizes[min(n, len(a.sizes)):]
	a.tokens = a.tokens[min(n, len(a.tokens)):]
	return n
}
