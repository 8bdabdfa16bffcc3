package wire

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// AnswerBuffer collects answers for one frame. Its memory is reused from frame to frame.
type AnswerBuffer struct {
	ids      []loadgen.ResponseID
	payloads []byte
	size     uint32   // of every payload, while they agree
	sizes    []uint32 // of each, from the first that differs on
	tokens   []uint32 // of each answer, or none
}

// AnswerBatch is the answers of one batch: one per id.
type AnswerBatch struct {
	IDs    []loadgen.ResponseID
	Data   []byte   // all payloads, one after the other
	Ends   []int    // payload i ends before Ends[i]
	Tokens []uint32 // how many tokens each has; nil where none are generated
}

// Add appends the answers of a batch, which may change afterwards. Either all batches of a buffer have tokens or none.
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

// addSize notes the size of the payload behind n others.
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

// Len is how many answers there are.
func (b *AnswerBuffer) Len() int { return len(b.ids) }

// Bytes is how much memory the answers take on the wire, about.
func (b *AnswerBuffer) Bytes() int {
	return 4*(len(b.ids)+len(b.sizes)+len(b.tokens)) + len(b.payloads)
}

// Fill makes m the answers of b, whose memory it shares.
func (b *AnswerBuffer) Fill(m *pluginpb.Answers) {
	m.Ids, m.Payloads, m.PayloadSizes, m.PayloadSize = Bytes(b.ids), b.payloads, Bytes(b.sizes), b.size
	m.TokenCounts = Bytes(b.tokens)
	if len(b.sizes) > 0 {
		m.PayloadSize = 0
	}
}

// maxKeptBytes is how much memory for payloads a buffer keeps: that of a rare large payload goes back to the system.
const maxKeptBytes = 8 << 20

// Reset empties b and keeps its memory, unless that is large.
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

// ParseAnswers reads m, whose memory the answers share. Arrays that do not fit together are an error.
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

// Next fills dst with the next answers and returns how many; 0 at the end. Data shares a's memory.
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
