package process

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// deviceTime is the time of a batch on a simulated device, which does not use a processor of this machine.
const deviceTime = 4 * time.Millisecond

// devices is the reader on one of several such devices.
type devices struct{ reader }

func (devices) CheckDevices([]string, map[string]string) error { return nil }

func (d devices) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	s, err := d.reader.Open(ctx, m, c)
	return busySession{s}, err
}

type busySession struct{ backend.Session }

func (s busySession) Run(ctx context.Context, in, out []backend.Tensor) error {
	time.Sleep(deviceTime)
	return s.Session.Run(ctx, in, out)
}

// BenchmarkDevices sends batches of 8 rows of 602,112 bytes to two processes, each with a device that takes 4 ms per
// batch. A batch is either collated in the memory of its device during the previous batch, or collated in the caller's
// memory when the device is free, and then copied.
func BenchmarkDevices(b *testing.B) {
	b.Run("ahead, in the device's memory", func(b *testing.B) { benchDevices(b, 4, true) })
	b.Run("ahead, copied", func(b *testing.B) { benchDevices(b, 4, false) })
	b.Run("not ahead, copied", func(b *testing.B) { benchDevices(b, 2, false) })
}

func benchDevices(b *testing.B, lanes int, staged bool) {
	const rows = 8
	own := Backend{Command: command(b, "busy devices"), Output: io.Discard}
	s, err := pool.OpenSessions(b.Context(), backend.Config{Concurrency: 2}, []string{"npu:0", "npu:1"},
		func(ctx context.Context, c backend.Config) (backend.Session, error) {
			return own.Open(ctx, readerModel(), c)
		})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	samples, work := benchRows(), make(chan int, lanes)
	var running sync.WaitGroup
	for range lanes {
		running.Go(func() {
			if err := runOnDevices(b.Context(), s.Lane(), staged, rows, samples, work); err != nil {
				b.Error(err)
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += rows {
		work <- i
	}
	close(work)
	running.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inputs/s")
}

// runOnDevices collates and runs batches of the samples with the numbers that it receives from work.
func runOnDevices(ctx context.Context, l *pool.SessionLane, staged bool, rows int, samples [][]byte,
	work <-chan int) error {
	in, out := []backend.Tensor{{DType: backend.Float32, Shape: []int64{int64(rows), pixels}}}, make([]backend.Tensor, 1)
	input, own := l.Stage(), make([]byte, 4*pixels*rows)
	for from := range work {
		l.Begin(rows)
		in[0].Data = own
		if staged {
			in[0].Data = input.Input(0, len(own))
		}
		for i := range rows {
			copy(in[0].Data[4*pixels*i:], samples[(from+i)%benchSamples])
		}
		err := l.Run(ctx, in, out)
		l.End()
		if err != nil {
			return err
		}
		if first := backend.View[float32](out[0].Data)[1]; first != float32(from%benchSamples) {
			return fmt.Errorf("the first of %d samples from %d on is answered as %v", rows, from, first)
		}
		out[0].Release()
	}
	return nil
}
