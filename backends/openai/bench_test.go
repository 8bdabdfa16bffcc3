package openai_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// mockVariable turns the test binary into a mock server in its own process, which does not share the client's
// scheduler. Its value is first and step of openaitest.Options and the log file, or nothing, separated by commas.
const mockVariable = "PLUMBLINE_OPENAI_MOCK"

func TestMain(m *testing.M) {
	if paces, ok := os.LookupEnv(mockVariable); ok {
		if err := mock(paces); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func mock(paces string) error {
	first, rest, _ := strings.Cut(paces, ",")
	step, log, _ := strings.Cut(rest, ",")
	o := openaitest.Options{Owner: "vllm", IDs: true, TimestampText: true}
	var err error
	if o.First, err = time.ParseDuration(first); err != nil {
		return err
	}
	if o.Step, err = time.ParseDuration(step); err != nil {
		return err
	}
	if log != "" {
		file, err := os.Create(log)
		if err != nil {
			return err
		}
		o.Log = file
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, openaitest.New(o))
}

// startMock starts a mock server and returns its address.
func startMock(b *testing.B, first, step time.Duration) string {
	return startLoggingMock(b, first, step, "")
}

// startLoggingMock starts a mock server that writes a log.
func startLoggingMock(b *testing.B, first, step time.Duration, log string) string {
	b.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), mockVariable+"="+first.String()+","+step.String()+","+log)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.Process.Kill(); err != nil {
			b.Error(err)
		}
		if err := c.Wait(); err == nil {
			b.Error("the mock ended by itself")
		}
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// delays is a list of times.
type delays struct {
	mu   sync.Mutex
	list []time.Duration
}

func (d *delays) add(t time.Duration) {
	d.mu.Lock()
	d.list = append(d.list, t)
	d.mu.Unlock()
}

// report sets the metrics NAME-p50-us and NAME-p99-us.
func (d *delays) report(b *testing.B, name string) {
	if len(d.list) == 0 {
		return
	}
	slices.Sort(d.list)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(d.list[p*(len(d.list)-1)/100])/1e3, fmt.Sprintf("%s-p%d-us", name, p))
	}
}

// figures contains the measurements of a benchmark's streams.
type figures struct {
	own  delays // from the return of the read that brought a first or last token, to its record
	wire delays // from the server's writing of a first token to its record: its system calls and the network included
	ttft delays // from the time when a request is due to its first token
}

func (f *figures) report(b *testing.B) {
	f.own.report(b, "own")
	f.wire.report(b, "wire")
	f.ttft.report(b, "ttft")
}

// stampSink measures the first and the last part of one answer.
type stampSink struct {
	figures *figures // nil: nothing is measured
	due     time.Time
	read    time.Time // when the last read of the answer returned
	n       int
}

func (s *stampSink) FirstToken(t backend.Tokens) {
	now := time.Now()
	if s.figures == nil {
		return
	}
	stamp, err := strconv.ParseInt(strings.TrimSpace(t.Text), 10, 64)
	if err != nil {
		panic(err)
	}
	s.figures.own.add(now.Sub(s.read))
	s.figures.wire.add(now.Sub(time.Unix(0, stamp)))
	s.figures.ttft.add(now.Sub(s.due))
}

func (s *stampSink) Complete(t backend.Tokens) {
	s.n = t.N
	if s.figures != nil {
		s.figures.own.add(time.Since(s.read))
	}
}

type sinkKey struct{}

// ask generates one answer of n tokens.
func (s *stampSink) ask(b *testing.B, g backend.Generator, n int) {
	p := backend.Prompt{Tokens: benchPrompt[:], MaxNewTokens: n}
	if err := g.Generate(context.WithValue(context.Background(), sinkKey{}, s), p, s); err != nil || s.n != n {
		b.Error(s.n, err)
	}
}

var benchPrompt [100]int32

// timedTransport tells the sink in a request's context when a read of its answer has returned.
type timedTransport struct{ http.RoundTripper }

func (t timedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if s, ok := r.Context().Value(sinkKey{}).(*stampSink); ok && err == nil {
		response.Body = timedBody{response.Body, s}
	}
	return response, err
}

type timedBody struct {
	io.ReadCloser
	sink *stampSink
}

func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.sink.read = time.Now()
	}
	return n, err
}

func connectTimed(b *testing.B, url string, streams int) backend.Generator {
	g := connect(b, url, "concurrency="+strconv.Itoa(streams))
	g.Wrap(func(t http.RoundTripper) http.RoundTripper { return timedTransport{t} })
	return g
}

// closedLoop keeps a number of answers in progress until b ends, and reports their rates.
func closedLoop(b *testing.B, streams, tokens int, step time.Duration) {
	g := connectTimed(b, startMock(b, step, step), streams)
	var f figures
	jobs := make(chan struct{})
	var workers sync.WaitGroup
	for i := range streams {
		workers.Go(func() {
			time.Sleep(step * time.Duration(i) / time.Duration(streams))
			warmUp := 2 // answers in which connections are made and the streams get out of step
			for range jobs {
				s := stampSink{due: time.Now()}
				if warmUp--; warmUp < 0 {
					s.figures = &f
				}
				s.ask(b, g, tokens)
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		jobs <- struct{}{}
	}
	close(jobs)
	workers.Wait()
	took := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N)/took, "requests/s")
	b.ReportMetric(float64(b.N*tokens)/took, "tokens/s")
	f.report(b)
}

// BenchmarkPaced uses a server that sends each token in its own packet. A request is a stream of 64 tokens.
func BenchmarkPaced(b *testing.B) {
	for _, c := range []struct {
		streams int
		step    time.Duration
	}{{500, 20 * time.Millisecond}, {2000, 40 * time.Millisecond}, {2000, 20 * time.Millisecond},
		{2000, 15 * time.Millisecond}} {
		b.Run(fmt.Sprintf("%dstreams-%v", c.streams, c.step), func(b *testing.B) { closedLoop(b, c.streams, 64, c.step) })
	}
}

// BenchmarkAtOnce uses a server that sends whole answers of 32 tokens, each token in its own event.
func BenchmarkAtOnce(b *testing.B) { closedLoop(b, 64, 32, 0) }

// BenchmarkOpenRate sends requests at fixed times. The server sends answers of 32 tokens at once.
func BenchmarkOpenRate(b *testing.B) {
	for _, rate := range []int{1000, 4000, 7000} {
		b.Run(fmt.Sprintf("%dqps", rate), func(b *testing.B) {
			g := connectTimed(b, startMock(b, 0, 0), 4096)
			var f figures
			var calls sync.WaitGroup
			start := time.Now()
			for i := range b.N {
				due := start.Add(time.Duration(i) * time.Second / time.Duration(rate))
				time.Sleep(time.Until(due))
				calls.Go(func() {
					s := stampSink{due: due}
					if i > b.N/5 {
						s.figures = &f
					}
					s.ask(b, g, 32)
				})
			}
			calls.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			f.report(b)
		})
	}
}
