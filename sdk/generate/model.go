package generate

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// sequenceModel is a model that continues sequences: a decoder, or an encoder and a decoder.
type sequenceModel interface {
	// newRunner returns a runner of the model for one goroutine. newMemory returns empty memory for rows.
	newRunner() modelRunner
	newMemory() rowMemory
	// promptFaults returns the faults of a prompt that only the model can find.
	promptFaults(p *backend.Prompt) []error
	// begin prepares the prompt's additional inputs of the model, on the goroutine of the call, and returns its size.
	begin(s *sequence) (memorySize, error)
	// rowBytes returns the maximum memory of one row of this size in a step's input and output.
	rowBytes(memorySize) int64
	// canJoin reports whether a prompt can join active ones, of which one has the size other. stepped means that they have
	// made a step. fresh means that their own prompts run together with this one.
	canJoin(s, other memorySize, stepped, fresh bool) bool
	// levelSizes adjusts the sizes of prompts that run together to those of active ones. longest is the largest size of
	// all.
	levelSizes(batch []*sequence, longest memorySize)
	// allowsLateJoin reports whether prompts can join after the first step.
	allowsLateJoin() bool
	takesAudio() bool
	describe() backend.Info
	close() error
}

// modelRunner runs a model. It returns the logits of each row, which are valid until its next run.
type modelRunner interface {
	// step runs the last token of each row of m and adds it to m.
	step(ctx context.Context, m rowMemory, tokens []int32) ([][]float32, error)
	// prompts runs whole prompts. Afterwards m consists of these.
	prompts(ctx context.Context, m rowMemory, batch []*sequence) ([][]float32, error)
}

// rowMemory is the state of sequences between steps, one row for each branch.
type rowMemory interface {
	rows() int
	// addRow appends a copy of a row of another memory. finishJoin ends a series of such calls, after which the other
	// memory may change.
	addRow(from rowMemory, row int)
	finishJoin()
	// permute makes row rows[i] a copy of the former row rows[from[i]], for all i at once. The rows belong to one
	// sequence.
	permute(rows, from []int)
	// copyRowOver copies row src over row dst. dropRows removes the rows from n on.
	copyRowOver(dst, src int)
	dropRows(n int)
	// fitWidth makes room for the next step. maxLength is the maximum number of tokens of the longest row.
	fitWidth(maxLength int)
	// takeGrowth returns the increase of the peak size, in bytes, since the last call.
	takeGrowth() int64
}

// memorySize contains the sizes that determine the memory of a sequence.
type memorySize struct {
	prompt int // number of tokens that run before the first step, including those of an encoder
	source int // width of the encoder's output; 0 without an encoder
	tokens int // maximum number of tokens that the decoder reads
}

// elementwiseMax returns the maximum of each size.
func (s memorySize) elementwiseMax(o memorySize) memorySize {
	return memorySize{max(s.prompt, o.prompt), max(s.source, o.source), max(s.tokens, o.tokens)}
}
