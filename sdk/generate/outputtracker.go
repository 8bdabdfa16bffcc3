package generate

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
)

// MaxCopied is the maximum number of bytes of states and constants that a step may copy between a generator and its
// sessions, unless GeneratorOptions.CopyState allows more: 64 MB.
const MaxCopied = 64 << 20

// ErrCopies is wrapped by the error about a model that copies too many bytes at each step.
var ErrCopies = errors.New("too many bytes are copied at each step")

// widthStep is the unit of source widths if sessions keep the encodings. With it, separately kept rows have compatible
// widths.
const widthStep = 16

// outputTracker records which outputs the sessions of an encoder-decoder keep, and counts the copied bytes.
type outputTracker struct {
	// inProcess reports that the sessions use the memory of this process, so transfers copy no bytes.
	inProcess     bool
	keptOutputs   map[*modelGraph][]bool // by output
	keptSlots     []bool                 // by slot
	steps, copied atomic.Int64
}

// newOutputTracker selects the outputs that the sessions keep. Their first dimension must be the rows, and they must be
// in the memory that the decoders read. In the memory of this process ordinary tensors are equally good, and rows that
// stay in order need no copy.
func newOutputTracker(c *coderModel) *outputTracker {
	k := &outputTracker{keptOutputs: map[*modelGraph][]bool{}, keptSlots: make([]bool, len(c.slots)), inProcess: true}
	memory := backend.CacheMemory(c.next.session)
	for _, g := range []*modelGraph{c.encoder, c.first, c.next} {
		k.inProcess = k.inProcess && backend.CacheMemory(g.session) == tensorcache.Memory{}
	}
	for _, g := range []*modelGraph{c.encoder, c.first, c.next} {
		k.keptOutputs[g] = make([]bool, len(g.out))
		together := backend.CacheMemory(g.session) == memory && backend.CacheMemory(c.first.session) == memory
		if k.inProcess || memory == nil || !together {
			continue
		}
		for i, p := range g.out {
			if p.use == stored && c.slots[p.slot].rowAxis == 0 {
				k.keptOutputs[g][i], k.keptSlots[p.slot] = true, true
			}
		}
	}
	return k
}

// keepsOutputs reports whether sessions keep any outputs.
func (k *outputTracker) keepsOutputs() bool {
	return slices.Contains(k.keptSlots, true)
}

// markKept marks the outputs of a run that the session has to keep.
func (k *outputTracker) markKept(g *modelGraph, out []backend.Tensor) {
	for i, kept := range k.keptOutputs[g] {
		out[i].KeepOutput = kept
	}
}

// countCopied records the bytes that a step copied.
func (k *outputTracker) countCopied(g *modelGraph, in, out []backend.Tensor) {
	k.steps.Add(1)
	if k.inProcess {
		return
	}
	n := 0
	for i, p := range g.in {
		if p.use == stored {
			n += len(in[i].Data)
		}
	}
	for i, p := range g.out {
		if p.use == stored {
			n += len(out[i].Data)
		}
	}
	k.copied.Add(int64(n))
}

// checkCopies returns an error for a model that would copy too many bytes at each step.
func (c *coderModel) checkCopies() error {
	n := int64(0)
	for i := range c.slots {
		s := &c.slots[i]
		switch {
		case c.tracker.keptSlots[i]:
		case s.constant:
			n += int64(s.byteSize(1, max(c.options.Source, 1)))
		default:
			n += 2 * int64(s.byteSize(1, max(c.options.Answer, 1)))
		}
	}
	n *= int64(c.options.MaxSequences)
	if n <= MaxCopied || c.tracker.inProcess || c.options.CopyState {
		return nil
	}
	return fmt.Errorf("%w: %d bytes of states and of what the encoder gives, of %d sequences, are more than %d, and the "+
		"backend keeps none of them between runs; choose a backend that does (ort), fewer sequences together, or admit it "+
		"(--param copy_state=yes)",
		ErrCopies, n, c.options.MaxSequences, int64(MaxCopied))
}
