// Command kserve-speed compares the requests per second of this backend and of another client. It runs them alternately
// on one machine against one server.
//
//	kserve-speed -url HOST:PORT -model NAME -client 'COMMAND that prints "123.4 requests/s" or "123.4 infer/sec"'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/backends/kserve"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

type speedSettings struct {
	url, model, stream, client string
	inFlight, rounds           int
	duration                   time.Duration
}

func main() {
	var s speedSettings
	flag.StringVar(&s.url, "url", "", "the server's HOST:PORT")
	flag.StringVar(&s.model, "model", "", "the model's name")
	flag.StringVar(&s.stream, "stream", "auto", "the backend's option stream")
	flag.StringVar(&s.client, "client", "", "the other client's command line, for a shell")
	flag.IntVar(&s.inFlight, "in-flight", 64, "requests in flight")
	flag.IntVar(&s.rounds, "rounds", 5, "turns of each")
	flag.DurationVar(&s.duration, "time", 3*time.Second, "of one turn of the backend")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compareRates(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "kserve-speed:", err)
		os.Exit(1)
	}
}

// compareRates prints the rates of each round and the median of their ratios.
func compareRates(ctx context.Context, s speedSettings) error {
	session, err := kserve.Backend{}.Open(ctx, backend.Model{Name: s.model}, backend.Config{Options: map[string]string{
		"url": s.url, "model": s.model, "stream": s.stream, "concurrency": strconv.Itoa(s.inFlight),
	}})
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, %d in flight\n", s.url, session.(backend.Describer).Describe().Details["call"], s.inFlight)
	var ratios []float64
	for round := range s.rounds {
		before := cpuTime()
		ours, n, err := measureRate(ctx, session, s)
		if err != nil {
			return errors.Join(err, session.Close())
		}
		cost := (cpuTime() - before) / time.Duration(max(n, 1))
		theirs, err := otherClientRate(ctx, s.client)
		if err != nil {
			return errors.Join(err, session.Close())
		}
		ratios = append(ratios, ours/theirs)
		fmt.Printf("round %d: backend %.1f requests/s (%v of processor time each), client %.1f, ratio %.3f\n",
			round+1, ours, cost.Round(time.Microsecond), theirs, ours/theirs)
	}
	slices.Sort(ratios)
	fmt.Printf("ratio: median %.3f (%.3f to %.3f)\n", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	return session.Close()
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measureRate returns the backend's rate with inputs of one row, and the number of requests from which it was computed.
func measureRate(ctx context.Context, session backend.Session, s speedSettings) (rate float64, n int64, err error) {
	var done atomic.Int64
	faults := make([]error, s.inFlight)
	var working sync.WaitGroup
	start := time.Now()
	for i := range faults {
		working.Go(func() {
			in := zeroInputs(session.Inputs())
			for time.Since(start) < s.duration && faults[i] == nil {
				out := make([]backend.Tensor, len(session.Outputs()))
				if faults[i] = session.Run(ctx, in, out); faults[i] == nil {
					done.Add(1)
				}
			}
		})
	}
	working.Wait()
	n = done.Load()
	return float64(n) / time.Since(start).Seconds(), n, errors.Join(faults...)
}

// zeroInputs returns one row of zeros for each input. Free dimensions have size 1.
func zeroInputs(infos []backend.TensorInfo) []backend.Tensor {
	in := make([]backend.Tensor, len(infos))
	for i, info := range infos {
		shape := slices.Clone(info.Shape)
		for j, d := range shape {
			if d < 0 {
				shape[j] = 1
			}
		}
		in[i] = backend.Tensor{
			Name: info.Name, DType: info.DType, Shape: shape, Data: make([]byte, int(backend.Elements(shape))*info.DType.Size()),
		}
	}
	return in
}

// otherClientRate returns the last rate that the other client prints.
func otherClientRate(ctx context.Context, client string) (float64, error) {
	out, err := exec.CommandContext(ctx, "sh", "-c", client).CombinedOutput()
	found := regexp.MustCompile(`([\d.]+) (?:requests/s|infer/sec)`).FindAllSubmatch(out, -1)
	if err != nil {
		return 0, fmt.Errorf("client %q: %w\n%s", client, err, out)
	}
	if len(found) == 0 {
		return 0, fmt.Errorf("client %q: want a rate, such as \"12.3 requests/s\", in\n%s", client, out)
	}
	return strconv.ParseFloat(string(found[len(found)-1][1]), 64)
}
