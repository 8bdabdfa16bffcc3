package sdk_test

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestBatchReusesItsMemory(t *testing.T) {
	b := sdk.NewBatch([]backend.TensorInfo{{Name: "x", DType: backend.Float32}, {Name: "n", DType: backend.Int64}})
	large := b.Input(0, 4, 3)
	if len(large) != 48 || !slices.Equal(b.Tensors()[0].Shape, []int64{4, 3}) {
		t.Fatalf("%d bytes, shape %v", len(large), b.Tensors()[0].Shape)
	}
	small := b.Input(0, 2, 3)
	if len(small) != 24 || &small[0] != &large[0] {
		t.Errorf("%d bytes, or other memory", len(small))
	}
	shared := make([]byte, 8)
	b.Share(1, shared, 1)
	if x := b.Tensors()[1]; &x.Data[0] != &shared[0] || x.Name != "n" || x.DType != backend.Int64 {
		t.Errorf("%+v", x)
	}
	if again := b.Input(1, 1); &again[0] == &shared[0] {
		t.Error("the batch writes to memory that was shared with it")
	}
	if n := testing.AllocsPerRun(100, func() { b.Input(0, 4, 3); b.Share(1, shared, 1) }); n != 0 {
		t.Errorf("%v allocations for a batch", n)
	}
}

// stagingSession is a session that may have its own memory for inputs.
type stagingSession struct {
	backend.Session
	stage backend.Stage
}

func (stagingSession) Inputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "x", DType: backend.Float32}, {Name: "n", DType: backend.Int64}}
}

func (s stagingSession) Stage() backend.Stage { return s.stage }

type arena [2][64]byte

func (a *arena) Input(i, n int) []byte { return a[i][:n] }

func TestBatchInTheSessionsMemory(t *testing.T) {
	var memory arena
	b := sdk.StagedBatch(stagingSession{}.Inputs(), &memory)
	for _, rows := range []int64{2, 4, 1} {
		if x := b.Input(0, rows, 3); len(x) != int(12*rows) || &x[0] != &memory[0][0] {
			t.Errorf("%d rows: %d bytes, or other memory", rows, len(x))
		}
		if n := b.Input(1, rows); len(n) != int(8*rows) || &n[0] != &memory[1][0] {
			t.Errorf("%d rows: %d bytes, or other memory", rows, len(n))
		}
	}
	if none := sdk.StagedBatch(stagingSession{}.Inputs(), nil).Input(0, 1, 3); len(none) != 12 {
		t.Errorf("without a stage: %d bytes", len(none))
	}
}

func TestPayloads(t *testing.T) {
	var p sdk.Payloads
	scratch := []byte("first")
	p.Append(scratch)
	copy(scratch, "xxxxx") // a payload is copied
	p.Append(nil)
	p.Append([]byte("third"))
	if p.Len() != 3 || string(p.At(0)) != "first" || len(p.At(1)) != 0 || string(p.At(2)) != "third" {
		t.Errorf("%d payloads: %q %q %q", p.Len(), p.At(0), p.At(1), p.At(2))
	}
	_ = append(p.At(0), '!') // must not overwrite the next payload
	if string(p.At(2)) != "third" {
		t.Error("a payload can grow into its neighbour")
	}
	copy(p.Extend(6), "fourth")
	p.Append([]byte("!"))
	if p.Len() != 5 || string(p.At(3)) != "fourth" || string(p.At(2)) != "third" || string(p.At(4)) != "!" {
		t.Errorf("%d payloads: %q %q %q", p.Len(), p.At(2), p.At(3), p.At(4))
	}
	p.Reset()
	if p.Len() != 0 {
		t.Errorf("%d payloads after Reset", p.Len())
	}
	if n := testing.AllocsPerRun(100, func() { p.Reset(); p.Extend(10) }); n != 0 {
		t.Errorf("%v allocations for a payload in memory that is there", n)
	}
}
