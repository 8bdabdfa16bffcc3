package backends

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
)

// cachedSession runs a model once for each distinct row of its inputs and stores the outputs.
type cachedSession struct {
	commonSession
	runs tensorcache.Runs
	seed maphash.Seed

	mu    sync.Mutex
	whole bool // the model's tensors have no rows of the batch, so a run is stored as a single row
	known map[uint64][]outputRow
	size  int // size of known in bytes
}

// outputRow is a row of an output.
type outputRow struct {
	shape []int64 // the first dimension is the row's share of the output
	data  []byte
}

// maxKnown is the maximum memory of a session, in bytes. Rows beyond it are not stored.
const maxKnown = 256 << 20

func newCachedSession(s backend.Session) *cachedSession {
	return &cachedSession{
		commonSession: commonSession{s}, seed: maphash.MakeSeed(), known: map[uint64][]outputRow{},
		whole: slices.ContainsFunc(s.Outputs(), hasNoRows),
	}
}

// hasNoRows reports whether the first dimension of a tensor has a fixed size other than the batch. Even if it equals
// the batch by chance, it must not be treated as rows.
func hasNoRows(t backend.TensorInfo) bool { return len(t.Shape) > 0 && t.Shape[0] > 1 }

// CacheMemory returns the memory of this process, even if the session uses another.
func (s *cachedSession) CacheMemory() any { return tensorcache.Memory{} }

func (s *cachedSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	return s.runs.Run(in, out, func(in, out []backend.Tensor) error {
		keys := s.rowKeys(in)
		if rows := s.lookUp(keys); rows != nil {
			return joinRows(rows, s.Outputs(), out)
		}
		for i := range out {
			out[i].KeepOutput = false // the output is stored here
		}
		if err := s.Session.Run(ctx, in, out); err != nil {
			return err
		}
		s.rememberRows(keys, out)
		return nil
	})
}

// rowKeys returns the keys of the rows of a batch.
func (s *cachedSession) rowKeys(in []backend.Tensor) []uint64 {
	rows := backend.Rows(in)
	if s.isWhole() || !haveRows(in, rows) {
		rows = 1
	}
	keys := make([]uint64, rows)
	for r := range keys {
		var h maphash.Hash
		h.SetSeed(s.seed)
		for _, t := range in {
			p := rowOf(t, r, rows)
			for _, d := range p.shape {
				_ = binary.Write(&h, binary.LittleEndian, d) // never fails
			}
			_, _ = h.Write(p.data)
		}
		keys[r] = h.Sum64()
	}
	return keys
}

func (s *cachedSession) isWhole() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole
}

// haveRows reports whether each tensor has the given number of rows.
func haveRows(of []backend.Tensor, rows int) bool {
	return rows > 0 && !slices.ContainsFunc(of, func(t backend.Tensor) bool {
		return len(t.Shape) == 0 || int(t.Shape[0]) != rows
	})
}

// rowOf returns row r of rows of a tensor, in the tensor's memory.
func rowOf(t backend.Tensor, r, rows int) outputRow {
	each, shape := len(t.Data)/rows, slices.Clone(t.Shape)
	if len(shape) > 0 {
		shape[0] /= int64(rows)
	}
	return outputRow{shape, t.Data[r*each : (r+1)*each]}
}

// lookUp returns the outputs of each row; nil if a row is unknown or has another shape than the others.
func (s *cachedSession) lookUp(keys []uint64) (rows [][]outputRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		parts, ok := s.known[k]
		if !ok || len(rows) > 0 && !slices.EqualFunc(parts, rows[0], func(a, b outputRow) bool {
			return slices.Equal(a.shape, b.shape)
		}) {
			return nil
		}
		rows = append(rows, parts)
	}
	return rows
}

// rememberRows stores the outputs of a run.
func (s *cachedSession) rememberRows(keys []uint64, out []backend.Tensor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.whole && !haveRows(out, len(keys)) {
		s.whole = true
		clear(s.known)
		return
	}
	for r, k := range keys {
		var parts []outputRow
		for _, t := range out {
			p := rowOf(t, r, len(keys))
			p.data = slices.Clone(p.data)
			parts, s.size = append(parts, p), s.size+len(p.data)
		}
		if s.size > maxKnown {
			return
		}
		s.known[k] = parts
	}
}

// joinRows joins rows to the outputs of a run, in the caller's memory if there is some.
func joinRows(rows [][]outputRow, infos []backend.TensorInfo, out []backend.Tensor) error {
	for i := range out {
		t, first := &out[i], rows[0][i]
		room, n := t.Data, len(rows)*len(first.data)
		if len(room) > 0 && len(room) < n {
			return fmt.Errorf("%w: output %q takes %d bytes, its tensor has room for %d", backend.ErrTensors,
				infos[i].Name, n, len(room))
		}
		if len(room) == 0 {
			room, t.Free = make([]byte, n), nil
		}
		t.Name, t.DType, t.Data = infos[i].Name, infos[i].DType, room[:0]
		for _, parts := range rows {
			t.Data = append(t.Data, parts[i].data...)
		}
		if t.Shape = append(t.Shape[:0], first.shape...); len(t.Shape) > 0 {
			t.Shape[0] *= int64(len(rows))
		}
	}
	return nil
}
