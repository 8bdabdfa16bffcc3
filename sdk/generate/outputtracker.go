package generate

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
)

// MaxCopied is how many bytes of states and constants a step may copy between a generator and its sessions, unless
// GeneratorOptions.CopyState admits more: 64 MB.
const MaxCopied = 64 << 20

// ErrCopies is in the chain of the error about a model of which too much is copied at each step.
var ErrCopies = errors.New("too many bytes are copied at each step")

// widthStep is what the widths of sources are multiples of where sessions keep what is made of them, so that rows
// that are kept apart fit next to one another.
const widthStep = 16

// outputTracker knows which outputs the sessions of an encoder-decoder keep, and counts what is copied.
type outputTracker struct {
	// inProcess: the sessions read and write the memory of this process, so that nothing is copied on the way.
	inProcess     bool
	keptOutputs   map[*modelGraph][]bool // outputs
	keptSlots     []bool                 // slots
	steps, copied atomic.Int64
}

// newKeeper has the sessions keep what they can: what has its rows first, and is made in the memory that the decoders
// read. In the memory of this process tensors serve as well, and rows that stay in their order need no copy.
func newKeeper(c *coderModel) *outputTracker {
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
			if p.use == stored && c.slots[p.slot].rows == 0 {
				k.keptOutputs[g][i], k.keptSlots[p.slot] = true, true
			}
		}
	}
	return k
}

// keepsOutputs says that sessions keep something.
func (k *outputTracker) keepsOutputs() bool {
	return slices.Contains(k.keptSlots, true)
}

// markKept marks the outputs of a run that the session is to keep.
func (k *outputTracker) markKept(g *modelGraph, out []backend.Tensor) {
	for i, kept := range k.keptOutputs[g] {
		out[i].KeepOutput = kept
	}
}

// countCopied notes what a step copied.
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

// checkCopies refuses a model of which each step would copy too much.
func (c *coderModel) checkCopies() error {
	n := int64(0)
	for i := range c.slots {
		s := &c.slots[i]
		switch {
		case c.keeper.keptSlots[i]:
		case s.constant:
			n += int64(s.byteSize(1, max(c.options.Source, 1)))
		default:
			n += 2 * int64(s.byteSize(1, max(c.options.Answer, 1)))
		}
	}
	n *= int64(c.options.MaxSequences)
	if n <= MaxCopied || c.keeper.inProcess || c.options.CopyState {
		return nil
	}
	return fmt.Errorf("%w: %d bytes of states and of what the encoder gives, of %d sequences, are more than %d, and the "+
		"backend keeps none of them between runs; choose a backend that does (ort), fewer sequences together, or admit it "+
		"(--param copy_state=yes)",
		ErrCopies, n, c.options.MaxSequences, int64(MaxCopied))
}
