package backend

import (
	"slices"
	"sync/atomic"
)

// OutputCache is an optional interface of a Session that can keep outputs where it computes them, for later runs to
// take as inputs: the state of a decoder, or what it reads of an encoder at every step. Their bytes then never pass
// through the caller.
//
// An output tensor of Run with KeepOutput set, and without Data, comes back without Data: DType and Shape say what it
// is, Handles has its handle, and Release frees it. Given to a Run as an input, as it is, it stands for what was kept.
//
// An input with Handles has no Data. Its rows, along the first dimension, are those of all of them, one behind the
// other; or, where Rows is set, those of them that Rows numbers, in this order, each as often as it is named. So rows
// are reordered, repeated for beams, dropped, and joined from several runs. Shape is that of the result. All dimensions
// but the first are equal in all handles.
//
// Handles belong to the caller, who frees each, once no Run under way takes it. They may be taken by several Runs at a
// time. A handle is valid until it is released or the session that made it is closed, whichever comes first; a Run that
// takes it later is an error, as are handles of another memory and rows that are not there (ErrTensors).
type OutputCache interface {
	// CacheMemory is the memory that the session keeps tensors in, a comparable value: sessions for which it is equal, of
	// one model or of several, take one another's handles. nil: it keeps none after all.
	CacheMemory() any
}

// CacheMemory is where a session keeps tensors, nil where it keeps none.
func CacheMemory(s Session) any {
	if k, ok := s.(OutputCache); ok {
		return k.CacheMemory()
	}
	return nil
}

// OutputHandle is the handle of a tensor that an OutputCache has. Its methods may be called from any goroutine.
type OutputHandle struct {
	memory   any
	dtype    DType
	shape    []int64
	key      any
	free     func()
	released atomic.Bool
}

// NewOutputHandle makes a handle, for an OutputCache: memory is its CacheMemory, key whatever it knows the tensor by,
// and free, which may be nil, is called once.
func NewOutputHandle(memory any, d DType, shape []int64, key any, free func()) *OutputHandle {
	return &OutputHandle{memory: memory, dtype: d, shape: slices.Clone(shape), key: key, free: free}
}

// Key is what the OutputCache knows the tensor by.
func (k *OutputHandle) Key() any { return k.key }

// DType is the element type.
func (k *OutputHandle) DType() DType { return k.dtype }

// Shape is the shape of all that is kept. It must not be changed.
func (k *OutputHandle) Shape() []int64 { return k.shape }

// Release frees the tensor. Calls after the first do nothing.
func (k *OutputHandle) Release() {
	if !k.released.Swap(true) && k.free != nil {
		k.free()
	}
}

// rowCount is how many rows there are; 1 for a tensor without dimensions.
func (k *OutputHandle) rowCount() int64 {
	if len(k.shape) == 0 {
		return 1
	}
	return k.shape[0]
}

// SetHandle makes t, an output that was to be kept, the tensor of a handle.
func (t *Tensor) SetHandle(k *OutputHandle) {
	t.DType, t.Shape = k.dtype, append(t.Shape[:0], k.shape...)
	t.Data, t.Handles, t.Rows, t.Free = nil, []*OutputHandle{k}, nil, k.Release
}
