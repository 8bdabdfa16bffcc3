package process

import (
	"errors"
	"io"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// openBeside opens a part with sibling sessions, on a backend process with a fault.
func openBeside(t *testing.T, fault, part string, beside ...backend.Session) (*processSession, error) {
	t.Helper()
	s, err := Backend{Output: io.Discard}.Open(t.Context(), doublerModel(), backend.Config{
		Concurrency: 1, Options: map[string]string{"command": command(t, fault)}, Part: part, Siblings: beside,
	})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*processSession), nil
}

func mustOpenBeside(t *testing.T, part string, beside ...backend.Session) *processSession {
	t.Helper()
	s, err := openBeside(t, "none", part, beside...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPartsShareAProcess(t *testing.T) {
	first := mustOpenBeside(t, "encoder")
	second := mustOpenBeside(t, "decoder", first)
	if first.child != second.child {
		t.Fatal("the parts have a process each")
	}
	checkBatch(t, first, 3)
	checkBatch(t, second, 4)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	checkBatch(t, second, 2)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	<-first.child.exited
}

func TestPartsWithCommandsOfTheirOwnShareNothing(t *testing.T) {
	first := mustOpenBeside(t, "encoder")
	second, err := openBeside(t, "stream only", "decoder", first)
	if err != nil {
		t.Fatal(err)
	}
	if first.child == second.child {
		t.Error("two commands have one process")
	}
	checkBatch(t, first, 1)
	checkBatch(t, second, 1)
}

func TestProcessOfOneModelSaysSo(t *testing.T) {
	first, err := openBeside(t, "one model", "encoder")
	if err != nil {
		t.Fatal(err)
	}
	_, err = openBeside(t, "one model", "decoder", first)
	wantAll(t, err, "holds one model", `lacks the capability "models"`, "it serves workloads of one part",
		"--backend-opt decoder.command=COMMAND")
	checkBatch(t, first, 2) // it still works
}

func TestFailedPartLeavesTheProcess(t *testing.T) {
	first := mustOpenBeside(t, "encoder")
	m := doublerModel()
	m.Bytes = []byte("another")
	_, err := Backend{Output: io.Discard}.Open(t.Context(), m, backend.Config{
		Concurrency: 1, Options: map[string]string{"command": command(t, "none")}, Part: "decoder",
		Siblings: []backend.Session{first},
	})
	if !errors.Is(err, backend.ErrModel) {
		t.Errorf("error %v, want %v in its chain", err, backend.ErrModel)
	}
	checkBatch(t, first, 2)
	checkBatch(t, mustOpenBeside(t, "decoder", first), 2)
}

// keepY runs a batch and keeps y, which is twice x.
func keepY(t *testing.T, s *processSession, rows int) backend.Tensor {
	t.Helper()
	out := []backend.Tensor{{KeepOutput: true}, {}}
	if err := s.Run(t.Context(), batch(rows), out); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func TestKeptGoesFromPartToPart(t *testing.T) {
	first := mustOpenBeside(t, "encoder")
	second := mustOpenBeside(t, "decoder", first)
	y := keepY(t, first, 3)
	in, out := batch(2), make([]backend.Tensor, 2)
	y.Rows, y.Shape = []int32{2, 1}, []int64{2, width}
	in[1] = y
	if err := second.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	got := backend.View[float32](out[0].Data)
	if want := float32(4 * 2 * width); got[0] != want || got[width] != want/2 {
		t.Errorf("rows begin with %v and %v, want %v and %v", got[0], got[width], want, want/2)
	}
	y.Release()
	checkBatch(t, first, 1) // informs the process
	stranger := mustOpenBeside(t, "joint")
	other := keepY(t, stranger, 2)
	defer other.Release()
	in[1] = other
	if err := second.Run(t.Context(), in, out); !errors.Is(err, backend.ErrTensors) {
		t.Errorf("a handle of another process: error %v, want %v in its chain", err, backend.ErrTensors)
	}
}

func TestFaultsOfKeeping(t *testing.T) {
	for fault, want := range map[string][]string{
		"keeps without a handle": {"output 0", "handles [], want one above 0"},
		"keeps another shape":    {"[1,301]"},
		"one model":              {"output 0 is to be kept, and this session keeps none"},
	} {
		t.Run(fault, func(t *testing.T) {
			s := openFault(t, fault)
			wantAll(t, s.Run(t.Context(), batch(1), []backend.Tensor{{KeepOutput: true}, {}}), want...)
		})
	}
}

// A tensor that is released while a batch reads it is freed after the batch.
func TestKeptIsFreedBehindItsReaders(t *testing.T) {
	var k keptTensors
	freed := 0
	handle := k.addKept(backend.NewOutputHandle(nil, backend.Float32, []int64{1}, nil, func() { freed++ }))
	reader := &tensorUses{}
	if _, err := k.acquireTensors([]uint64{handle, handle}, reader); err != nil {
		t.Fatal(err)
	}
	k.releaseHandles([]uint64{handle, handle, 99})
	if freed != 0 {
		t.Error("freed under a reader")
	}
	_, err := k.acquireTensors([]uint64{handle}, &tensorUses{})
	wantAll(t, err, "nothing is kept by the handle 1")
	k.endUses(reader)
	k.addKept(backend.NewOutputHandle(nil, backend.Float32, []int64{1}, nil, func() { freed++ }))
	k.freeAll()
	if freed != 2 {
		t.Errorf("%d freed, want both", freed)
	}
}

// The answer to an abandoned batch may contain kept tensors.
func TestAbandonedBatchKeepsNothing(t *testing.T) {
	var h releasedHandles
	h.dropAnswer(&backendpb.RunResponse{Outputs: []*backendpb.Tensor{{Kept: []uint64{7}}, {}}})
	if got := h.takeReleased(nil); len(got) != 1 || got[0] != 7 {
		t.Errorf("released %v, want 7", got)
	}
}
