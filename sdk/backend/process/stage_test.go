package process

import (
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// staged makes the inputs of a batch of rows in a stage.
func staged(g backend.Stage, rows int) []backend.Tensor {
	in := batch(rows)
	for i := range in {
		to := g.Input(i, len(in[i].Data))
		in[i].Data = to[:copy(to, in[i].Data)]
	}
	return in
}

func openStage(t *testing.T, fault string) (*processSession, backend.Stage) {
	t.Helper()
	needRegions(t)
	s := openFault(t, fault)
	return s, s.Stage()
}

func needRegions(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no memory is shared on this system")
	}
}

// runStaged runs a batch in a stage and returns the outputs.
func runStaged(t *testing.T, s *processSession, in []backend.Tensor) []backend.Tensor {
	t.Helper()
	out := make([]backend.Tensor, 2)
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func checkOutputs(t *testing.T, out []backend.Tensor, rows int) {
	t.Helper()
	y, n := backend.View[float32](out[0].Data), backend.View[int64](out[1].Data)
	if len(y) != rows*width || len(n) != rows {
		t.Fatalf("%d rows: %d elements of y, %d of n", rows, len(y), len(n))
	}
	for i := range y {
		if y[i] != 2*float32(i) {
			t.Fatalf("%d rows: element %d of y is %v", rows, i, y[i])
		}
	}
	for i := range n {
		if n[i] != int64(10*i+1) {
			t.Fatalf("%d rows: element %d of n is %v", rows, i, n[i])
		}
	}
}

func release(out []backend.Tensor) {
	for i := range out {
		out[i].Release()
	}
}

func TestStagedBatches(t *testing.T) {
	s, g := openStage(t, "none")
	for _, rows := range []int{1, 3000, 2, 3100, 9000, 9000, 1} {
		in := staged(g, rows)
		if s.stages.findStage(in) != g {
			t.Errorf("%d rows are not in the stage", rows)
		}
		out := runStaged(t, s, in)
		checkOutputs(t, out, rows)
		release(out)
	}
	// When there is room for the outputs, they are in the region too, and nothing is copied.
	out := runStaged(t, s, staged(g, 9000))
	if s.stages.findStage(out) != g {
		t.Error("the outputs are not in the stage")
	}
	checkBatch(t, s, 4) // in the caller's memory, while the outputs are in use
	checkOutputs(t, out, 9000)
	release(out)
}

// The process gets the inputs of a batch from any memory.
func TestBatchesPartlyStaged(t *testing.T) {
	s, g := openStage(t, "none")
	for i := range 2 {
		in := batch(7)
		to := g.Input(i, len(in[i].Data))
		in[i].Data = to[:copy(to, in[i].Data)]
		out := runStaged(t, s, in)
		checkOutputs(t, out, 7)
		release(out)
	}
}

func TestOutputsStayUntilReleased(t *testing.T) {
	s, g := openStage(t, "none")
	first := runStaged(t, s, staged(g, 5))
	second := runStaged(t, s, staged(g, 2000)) // a larger region, and other values at the same offsets
	third := runStaged(t, s, staged(g, 1))
	checkOutputs(t, first, 5)
	checkOutputs(t, second, 2000)
	checkOutputs(t, third, 1)
	for _, out := range [][]backend.Tensor{first, second, third} {
		release(out)
	}
	if n := g.(*laneStage).unreleased.Load(); n != 0 {
		t.Errorf("%d outputs count as in use", n)
	}
}

func TestOutputsInTheCallersMemory(t *testing.T) {
	s, g := openStage(t, "none")
	out := []backend.Tensor{{Data: make([]byte, 4*width*3)}, {Data: make([]byte, 8*3)}}
	mine := [][]byte{out[0].Data, out[1].Data}
	if err := s.Run(t.Context(), staged(g, 3), out); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		if &out[i].Data[0] != &mine[i][0] {
			t.Errorf("output %d is in other memory", i)
		}
	}
	checkOutputs(t, out, 3)
}

func TestStageWaitsForARunThatWasGivenUp(t *testing.T) {
	needRegions(t)
	held := newGate(t)
	s := held.session(t)
	g := s.Stage()
	held.giveUp(t, s, staged(g, 2))
	time.AfterFunc(50*time.Millisecond, func() { held.open(t) }) // usually while Input waits for it
	out := runStaged(t, s, staged(g, 6))
	checkOutputs(t, out, 6)
	release(out)
}

func TestStageWithoutSharedMemory(t *testing.T) {
	t.Run("cannot map", func(t *testing.T) {
		s, g := openStage(t, "cannot map")
		for _, rows := range []int{3, 3000} {
			out := runStaged(t, s, staged(g, rows))
			checkOutputs(t, out, rows)
			release(out)
		}
	})
	t.Run("stream only", func(t *testing.T) {
		if _, g := openStage(t, "stream only"); g != nil {
			t.Error("a process that maps nothing has a stage")
		}
	})
}

// The caller can access the memory of a stage even after the process has ended.
func TestStagedMemoryOutlivesTheProcess(t *testing.T) {
	s, g := openStage(t, "crash at run")
	in := staged(g, 3)
	wantAll(t, s.Run(t.Context(), in, make([]backend.Tensor, 2)), "segmentation fault of a driver")
	clear(in[1].Data)
	in = staged(g, 4)
	wantAll(t, s.Run(t.Context(), in, make([]backend.Tensor, 2)), "backend process")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if len(g.Input(0, 100)) != 100 {
		t.Error("a stage of a closed session has no memory")
	}
}

func TestOutputsOutliveTheSession(t *testing.T) {
	s, g := openStage(t, "none")
	out := runStaged(t, s, staged(g, 3))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	checkOutputs(t, out, 3)
	release(out)
}

func TestNoRegionIsLeft(t *testing.T) {
	before := regions(t)
	s, err := Backend{Command: command(t, "none"), Output: io.Discard}.Open(t.Context(), doublerModel(),
		backend.Config{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	g := s.(*processSession).Stage()
	for _, rows := range []int{1, 500, 5000} {
		release(runStaged(t, s.(*processSession), staged(g, rows)))
		checkBatch(t, s, rows)
	}
	if regions(t) <= before {
		t.Error("no region can be seen: the test is void")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after := regions(t); after != before {
		t.Errorf("%d regions are mapped, %d were before", after, before)
	}
}

// A process may map the region for its inputs and put its outputs into messages. Batches then do not need a larger
// region.
func TestOutputsInMessagesNeedNoRoom(t *testing.T) {
	s, g := openStage(t, "outputs in messages")
	run := func() {
		out := runStaged(t, s, staged(g, 500)) // 604,000 bytes of outputs
		checkOutputs(t, out, 500)
		release(out)
		checkBatch(t, s, 500)
	}
	run()
	before := regions(t)
	for range 20 {
		run()
	}
	if after := regions(t); after > before {
		t.Errorf("%d regions are mapped after 20 more batches, %d were before", after, before)
	}
}

// regions returns the number of mapped regions in this process.
func regions(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("the mappings of this process cannot be seen:", err)
	}
	return strings.Count(string(maps), "plumbline-tensors")
}

func TestStagingAllocatesNothing(t *testing.T) {
	_, g := openStage(t, "none")
	least := math.Inf(1)
	for range 10 { // other code in this process may allocate memory in the meantime
		least = min(least, testing.AllocsPerRun(100, func() { g.Input(0, 800) }))
	}
	if least != 0 {
		t.Errorf("%v allocations for memory that is there", least)
	}
}

func TestOffsetsInARegion(t *testing.T) {
	r, err := newRegion(128)
	if err != nil {
		t.Skip(err)
	}
	defer r.close()
	for _, c := range []struct {
		name string
		data []byte
		at   uint64
		in   bool
	}{
		{"all", r.data, 0, true},
		{"the end", r.data[64:], 64, true},
		{"nothing", r.data[:0], 0, false},
		{"beyond the end", r.data[128:], 0, false},
		{"elsewhere", make([]byte, 8), 0, false},
		{"nil", nil, 0, false},
	} {
		if at, in := r.offsetOf(c.data); at != c.at || in != c.in {
			t.Errorf("%s: %d, %v, want %d, %v", c.name, at, in, c.at, c.in)
		}
	}
}
