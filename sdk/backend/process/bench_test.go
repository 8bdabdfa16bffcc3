package process

import (
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
)

// benchSamples is the number of samples from which a benchmark collates. They take 38 MB, more than the caches hold, as
// in a real run.
const benchSamples = 64

// BenchmarkInputs sends batches of one row of 602,112 bytes to a process whose model reads them and answers with 4,000
// bytes. Each batch is collated from one of many samples, like in a plugin, two batches at a time.
func BenchmarkInputs(b *testing.B) {
	for _, c := range []struct {
		name, shared   string
		staged         bool
		atATime, batch int
	}{
		{"shared memory", "auto", true, 2, 1},
		{"shared memory, one at a time", "auto", true, 1, 1},
		{"shared memory, batches of 8", "auto", true, 2, 8},
		{"shared memory, copied once more", "auto", false, 2, 1},
		{"stream", "off", false, 2, 1},
	} {
		b.Run(c.name, func(b *testing.B) { benchInputs(b, c.shared, c.staged, c.atATime, c.batch) })
	}
}

func benchInputs(b *testing.B, way string, staged bool, lanes, rows int) {
	s, err := Backend{Command: command(b, "reader"), Output: io.Discard}.Open(b.Context(), readerModel(), backend.Config{
		Concurrency: lanes, Options: map[string]string{"shared_memory": way},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	samples := benchRows()
	work := make(chan int, lanes)
	var running sync.WaitGroup
	b.ReportAllocs()
	before := processes(b, s)
	for range lanes {
		running.Go(func() { runRows(b, s, inputOf(s, staged, rows), rows, samples, work) })
	}
	b.ResetTimer()
	for i := 0; i < b.N; i += rows {
		work <- i
	}
	close(work)
	running.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inputs/s")
	b.ReportMetric(float64(processes(b, s)-before)/float64(b.N)/1e3, "cpu-us/input")
}

func benchRows() [][]byte {
	samples := make([][]byte, benchSamples)
	for i := range samples {
		row := make([]float32, pixels)
		row[0], row[pixels-1] = float32(i), float32(-i)
		samples[i] = backend.Bytes(row)
	}
	return samples
}

// inputOf returns a function that provides the memory for the input of a batch: the session's or the caller's.
func inputOf(s backend.Session, staged bool, rows int) func(n int) []byte {
	if staged {
		stage := s.(backend.Stager).Stage()
		return func(n int) []byte { return stage.Input(0, n) }
	}
	own := make([]byte, 4*pixels*rows)
	return func(n int) []byte { return own[:n] }
}

// runRows collates and runs batches of the samples with the numbers that it receives from work.
func runRows(b *testing.B, s backend.Session, input func(n int) []byte, rows int, samples [][]byte, work <-chan int) {
	in := []backend.Tensor{{DType: backend.Float32, Shape: []int64{int64(rows), pixels}}}
	out := make([]backend.Tensor, 1)
	for from := range work {
		in[0].Data = input(4 * pixels * rows)
		for i := range rows {
			copy(in[0].Data[4*pixels*i:], samples[(from+i)%benchSamples])
		}
		if err := s.Run(b.Context(), in, out); err != nil {
			b.Error(err)
			return
		}
		y := backend.View[float32](out[0].Data)
		if first := y[scores*(rows-1)+1]; first != float32((from+rows-1)%benchSamples) {
			b.Errorf("the last of %d samples from %d on is answered as %v", rows, from, first)
		}
		out[0].Release()
	}
}

// processes returns the processor time of both processes, in ns.
func processes(b *testing.B, s backend.Session) int64 {
	b.Helper()
	t, err := osprocess.ProcessorTime(os.Getpid(), s.(*processSession).child.cmd.Process.Pid)
	if err != nil {
		b.Skip(fmt.Sprint("processor time: ", err))
	}
	return int64(t)
}
