package generate

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// sequenceModel is what continues sequences: a decoder, or an encoder and a decoder.
type sequenceModel interface {
	// newRunner returns what runs the model, for one goroutine, and newMemory what its rows lie in, empty.
	newRunner() modelRunner
	newMemory() rowMemory
	// faults are those of a prompt that are the model's to find.
	faults(p *backend.Prompt) []error
	// begin makes of a prompt what the model needs in addition to its tokens, in the goroutine of the call, and says how
	// large it is.
	begin(s *sequence) (memorySize, error)
	// rowBytes is the most memory that one row of this size takes in a step's input, and in its output.
	rowBytes(memorySize) int64
	// joins says that a prompt can join active ones, of which one has the other size; stepped: they have made a step;
	// fresh: their own prompts run together with this one.
	joins(s, other memorySize, stepped, fresh bool) bool
	// level makes the sizes of prompts that run together what they have to be next to active ones, the longest of all
	// given.
	level(batch []*sequence, longest memorySize)
	// joinsLater says that prompts can join after the first step.
	joinsLater() bool
	takesAudio() bool
	describe() backend.Info
	close() error
}

// modelRunner runs a model. What it returns is valid until its next run: the logits of each row.
type modelRunner interface {
	// step runs the last token of each row of m, which joins it.
	step(ctx context.Context, m rowMemory, tokens []int32) ([][]float32, error)
	// prompts runs whole prompts, which make up m afterwards.
	prompts(ctx context.Context, m rowMemory, batch []*sequence) ([][]float32, error)
}

// rowMemory is the state of sequences from step to step, one row for each branch.
type rowMemory interface {
	rows() int
	// add appends a copy of a row of another memory, and joined ends a series of such calls: the other may change then.
	add(from rowMemory, row int)
	joined()
	// permute makes row rows[i] a copy of what row rows[from[i]] held, for all i at once: rows of one sequence.
	permute(rows, from []int)
	// move copies row src over row dst, drop forgets the rows from n on.
	move(dst, src int)
	drop(n int)
	// fit makes room for the next step, where the longest row can come to maxLength tokens.
	fit(maxLength int)
	// grown is by how many bytes the most that was ever held has grown since the last call.
	grown() int64
}

// memorySize is what the memory of a sequence depends on.
type memorySize struct {
	prompt int // tokens that run before the first step, those of an encoder included
	source int // width of what the encoder gives, 0 without one
	tokens int // that the decoder sees, at most
}

// largerOf is the size of something that is as large as either.
func (s memorySize) largerOf(o memorySize) memorySize {
	return memorySize{max(s.prompt, o.prompt), max(s.source, o.source), max(s.tokens, o.tokens)}
}
