package sdktest

import (
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// checkOutputCache checks the handles of an OutputCache. For other sessions it does nothing.
func (b Backend) checkOutputCache(t *testing.T) {
	s := b.openSession(t, 1)
	if backend.CacheMemory(s) == nil {
		return
	}
	want := b.mustRun(t, s, makeInputs(s, 1, 1))
	kept := b.mustKeep(t, s, makeInputs(s, 1, 1))
	for i := range kept {
		x := &kept[i]
		if len(x.Handles) != 1 || x.Data != nil || x.DType != want[i].DType || !slices.Equal(x.Shape, want[i].Shape) {
			t.Errorf("kept output %d is %v%s with %d handles and %d bytes, want %v%s, one handle and no bytes", i,
				x.DType, backend.ShapeString(x.Shape), len(x.Handles), len(x.Data), want[i].DType,
				backend.ShapeString(want[i].Shape))
		}
		x.Release()
		x.Release() // without effect
	}
	out := make([]backend.Tensor, len(want))
	out[0] = backend.Tensor{KeepOutput: true, Data: make([]byte, len(want[0].Data))}
	if err := s.Run(t.Context(), makeInputs(s, 1, 1), out); !errors.Is(err, backend.ErrTensors) {
		t.Errorf("an output that is to be kept in the caller's memory: error %v, want %q in its chain", err,
			backend.ErrTensors)
	}
}

// mustKeep runs a batch and keeps all outputs.
func (b Backend) mustKeep(t *testing.T, s backend.Session, in []backend.Tensor) []backend.Tensor {
	t.Helper()
	out := make([]backend.Tensor, len(s.Outputs()))
	for i := range out {
		out[i].KeepOutput = true
	}
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkKeptInputs passes kept outputs to runs of the same session and of another session with the same memory. It
// requires a model with an output that can be used as one of its inputs; otherwise it checks nothing.
func (b Backend) checkKeptInputs(t *testing.T) {
	s := b.openSession(t, 1)
	output, input, ok := findLoop(s)
	if backend.CacheMemory(s) == nil || !ok {
		return
	}
	k := keepingSession{b, s, output, input}
	two, three := k.runKept(t, 2, 1), k.runKept(t, 3, 4)
	k.compareRuns(t, "as it is", s, two.Handles, nil)
	k.compareRuns(t, "reordered and repeated", s, three.Handles, []int32{2, 0, 0, 1})
	k.compareRuns(t, "the first rows", s, three.Handles, []int32{0, 1})
	k.compareRuns(t, "joined", s, append(slices.Clone(two.Handles), three.Handles...), nil)
	k.compareRuns(t, "joined and reordered", s, append(slices.Clone(three.Handles), two.Handles...), []int32{4, 0, 3})
	if other := b.openSession(t, 1); backend.CacheMemory(other) == backend.CacheMemory(s) {
		k.compareRuns(t, "in another session", other, three.Handles, []int32{1, 2})
	}
	k.checkMisuse(t, three)
}

// findLoop finds an output of a session that can be used as one of its inputs.
func findLoop(s backend.Session) (output, input int, ok bool) {
	for o, out := range s.Outputs() {
		for i, in := range s.Inputs() {
			if out.DType == in.DType && len(out.Shape) == len(in.Shape) && slices.Equal(out.Shape[1:], in.Shape[1:]) &&
				!slices.Contains(in.Shape[1:], -1) && in.Shape[0] < 0 {
				return o, i, true
			}
		}
	}
	return 0, 0, false
}

// keepingSession is a session with an output that can be used as one of its inputs.
type keepingSession struct {
	Backend
	session       backend.Session
	output, input int
}

// runKept runs n samples and returns the kept output. The output is released when the test ends.
func (k keepingSession) runKept(t *testing.T, n, seed int) backend.Tensor {
	t.Helper()
	out := k.mustKeep(t, k.session, makeInputs(k.session, n, seed))
	for i := range out {
		t.Cleanup(out[i].Handles[0].Release)
	}
	return out[k.output]
}

// rowBytes returns the contents of rows of a kept tensor. It reads them with a run that keeps nothing.
func (k keepingSession) rowBytes(t *testing.T, kept []*backend.OutputHandle, rows []int32) []byte {
	t.Helper()
	var all []byte
	for _, h := range kept {
		n, seed := int(h.Shape()[0]), 1
		if n == 3 {
			seed = 4
		}
		all = append(all, k.mustRun(t, k.session, makeInputs(k.session, n, seed))[k.output].Data...)
	}
	if rows == nil {
		return all
	}
	each := int(backend.Elements(kept[0].Shape()[1:])) * kept[0].DType().Size()
	var chosen []byte
	for _, r := range rows {
		chosen = append(chosen, all[int(r)*each:][:each]...)
	}
	return chosen
}

// compareRuns compares a run with kept rows and a run with their bytes.
func (k keepingSession) compareRuns(t *testing.T, name string, s backend.Session, kept []*backend.OutputHandle,
	rows []int32) {
	t.Helper()
	data := k.rowBytes(t, kept, rows)
	n := len(data) / (int(backend.Elements(kept[0].Shape()[1:])) * kept[0].DType().Size())
	in := makeInputs(s, n, 9)
	in[k.input].Data = data
	want := k.mustRun(t, s, in)
	in[k.input].Data, in[k.input].Handles, in[k.input].Rows = nil, kept, rows
	got, err := runBatch(t.Context(), s, in)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := range got {
		if err := k.Backend.compareOutputs(want[i], got[i]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkMisuse checks the errors of handles.
func (k keepingSession) checkMisuse(t *testing.T, kept backend.Tensor) {
	try := func(name string, spoil func(x *backend.Tensor)) {
		t.Helper()
		in := makeInputs(k.session, 3, 9)
		in[k.input].Data, in[k.input].Handles = nil, kept.Handles
		spoil(&in[k.input])
		if _, err := runBatch(t.Context(), k.session, in); !errors.Is(err, backend.ErrTensors) {
			t.Errorf("%s: error %v, want %q in its chain", name, err, backend.ErrTensors)
		}
	}
	foreign := backend.NewOutputHandle("another memory", kept.DType, kept.Shape, nil, nil)
	try("a row that is not there", func(x *backend.Tensor) { x.Rows = []int32{0, 1, 3} })
	try("a negative row", func(x *backend.Tensor) { x.Rows = []int32{0, 1, -1} })
	try("fewer rows than the shape has", func(x *backend.Tensor) { x.Rows = []int32{0, 1} })
	try("rows of nothing", func(x *backend.Tensor) { x.Handles, x.Rows = nil, []int32{0, 1, 2} })
	try("bytes beside a handle", func(x *backend.Tensor) { x.Data = make([]byte, 4) })
	try("a handle of another memory", func(x *backend.Tensor) { x.Handles = []*backend.OutputHandle{foreign} })
	for _, h := range kept.Handles {
		h.Release()
	}
	try("a released handle", func(*backend.Tensor) {})
}
