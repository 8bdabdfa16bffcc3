// Package tensorcache implements [backend.OutputCache] for sessions whose tensors are in this process's memory.
//
// In scope: handles on outputs, and the rows of inputs gathered from them. Out of scope: memory of devices and of other
// processes (the backends that use it).
package tensorcache

import (
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Memory is the CacheMemory of all sessions that use this package. It represents the memory of this process. The
// sessions accept one another's tensors.
type Memory struct{}

// Runs executes the runs of one session. The zero value is ready to use. Run is safe for concurrent use.
type Runs struct {
	scratch sync.Pool // of *gathered
}

// Run replaces handles in the inputs by Data, calls run, and keeps the outputs with KeepOutput. It does not copy an
// input that consists of one whole handle or its first rows.
func (k *Runs) Run(in, out []backend.Tensor, run func(in, out []backend.Tensor) error) error {
	if !backend.UsesHandles(in, out) {
		return run(in, out)
	}
	if err := backend.CheckHandles(Memory{}, in, out); err != nil {
		return err
	}
	g, _ := k.scratch.Get().(*runMemory)
	if g == nil {
		g = &runMemory{}
	}
	defer k.scratch.Put(g)
	defer g.dropReferences()
	g.noteKept(out)
	if err := run(g.fillInputs(in), out); err != nil {
		return err
	}
	for _, i := range g.keep {
		t := &out[i]
		t.KeepOutput = true
		t.SetHandle(backend.NewOutputHandle(Memory{}, t.DType, t.Shape, t.Data, t.Free))
	}
	return nil
}

// runMemory is the memory of one run.
type runMemory struct {
	keep   []int // indices of outputs to keep
	in     []backend.Tensor
	inputs []copiedInput // reused in later runs
}

// noteKept records the outputs to keep, because run may replace the outputs.
func (g *runMemory) noteKept(out []backend.Tensor) {
	g.keep = g.keep[:0]
	for i := range out {
		if out[i].KeepOutput {
			g.keep = append(g.keep, i)
		}
	}
}

// fillInputs returns in with Data for each tensor.
func (g *runMemory) fillInputs(in []backend.Tensor) []backend.Tensor {
	g.in = append(g.in[:0], in...)
	for len(g.inputs) < len(in) {
		g.inputs = append(g.inputs, copiedInput{})
	}
	for i := range g.in {
		if t := &g.in[i]; len(t.Handles) > 0 {
			t.Data = g.inputRows(i, t)
			t.Handles, t.Rows = nil, nil
		}
	}
	return g.in
}

// inputRows returns the bytes of input i. It reuses the copy of an earlier run with the same rows, because a decoder
// reads the same encoder output at each step.
func (g *runMemory) inputRows(i int, t *backend.Tensor) []byte {
	if first := keptBytes(t.Handles[0]); len(t.Handles) == 1 && isLeading(t.Rows) {
		n := tensorSize(t)
		return first[:n:n]
	}
	if c := &g.inputs[i]; !c.isCopyOf(t) {
		c.data = gatherRows(c.data[:0], t)
		c.kept, c.rows, c.all = append(c.kept[:0], t.Handles...), append(c.rows[:0], t.Rows...), t.Rows == nil
	}
	return g.inputs[i].data
}

// gatherRows appends the rows of t to dst.
func gatherRows(dst []byte, t *backend.Tensor) []byte {
	if t.Rows == nil {
		for _, k := range t.Handles {
			dst = append(dst, keptBytes(k)...)
		}
		return dst
	}
	each := tensorSize(t) / max(1, len(t.Rows))
	for _, r := range t.Rows {
		dst = append(dst, keptRow(t.Handles, int(r), each)...)
	}
	return dst
}

// copiedInput is the copy of one input, with its handles and rows: the listed ones, or all.
type copiedInput struct {
	data []byte
	kept []*backend.OutputHandle
	rows []int32
	all  bool
}

// isCopyOf reports whether the copy has the contents of t.
func (c *copiedInput) isCopyOf(t *backend.Tensor) bool {
	return len(c.kept) > 0 && slices.Equal(c.kept, t.Handles) && slices.Equal(c.rows, t.Rows) && c.all == (t.Rows == nil)
}

// keptRow returns row r of the concatenated handles, whose rows have each bytes.
func keptRow(kept []*backend.OutputHandle, r, each int) []byte {
	if each == 0 {
		return nil
	}
	for _, k := range kept {
		data := keptBytes(k)
		if n := len(data) / each; r >= n {
			r -= n
			continue
		}
		return data[r*each : (r+1)*each]
	}
	return nil // impossible, because CheckHandles counted the rows
}

// isLeading reports whether rows are the first ones, in order.
func isLeading(rows []int32) bool {
	for i, r := range rows {
		if int(r) != i {
			return false
		}
	}
	return true
}

func keptBytes(k *backend.OutputHandle) []byte { return k.Key().([]byte) }

// tensorSize returns the size of a tensor in bytes.
func tensorSize(t *backend.Tensor) int { return int(backend.Elements(t.Shape)) * t.DType.Size() }

// dropReferences drops the references to the callers' memory.
func (g *runMemory) dropReferences() {
	clear(g.in)
}
