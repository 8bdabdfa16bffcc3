package process

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestSuite(t *testing.T) {
	for _, shared := range []string{"auto", "off"} {
		t.Run("shared memory "+shared, func(t *testing.T) {
			sdktest.RunBackendSuite(t, sdktest.Backend{
				Backend: Backend{Command: command(t, "none"), Output: io.Discard},
				Model:   doublerModel(), Options: map[string]string{"shared_memory": shared},
			})
		})
	}
}

func TestDTypesHaveTheNumbersOfTheWire(t *testing.T) {
	for number, name := range backendpb.DType_name {
		if d := backend.DType(number); number != 0 && !strings.EqualFold(d.String(), name) {
			t.Errorf("%d is %v here and %s on the wire", number, d, name)
		}
	}
	if n := len(backendpb.DType_name) - 1; backend.DType(n) != backend.Bool {
		t.Errorf("the wire has %d dtypes, want as many as package backend", n)
	}
}

// openFault opens a session, for one batch at a time, on a backend process with a fault.
func openFault(t testing.TB, fault string) *processSession {
	t.Helper()
	return openWith(t, Backend{Output: io.Discard}, fault)
}

func openWith(t testing.TB, b Backend, fault string) *processSession {
	t.Helper()
	s, err := b.Open(t.Context(), doublerModel(), backend.Config{
		Concurrency: 1, Options: map[string]string{"command": command(t, fault)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*processSession)
}

// batch returns the inputs of a batch with the given number of rows.
func batch(rows int) []backend.Tensor {
	x, ids := make([]float32, rows*width), make([]int64, rows)
	for i := range x {
		x[i] = float32(i)
	}
	for i := range ids {
		ids[i] = int64(10 * i)
	}
	return []backend.Tensor{
		{Name: "ids", DType: backend.Int64, Shape: []int64{int64(rows)}, Data: backend.Bytes(ids)},
		{Name: "x", DType: backend.Float32, Shape: []int64{int64(rows), width}, Data: backend.Bytes(x)},
	}
}

func checkBatch(t *testing.T, s backend.Session, rows int) {
	t.Helper()
	out := make([]backend.Tensor, 2)
	if err := s.Run(t.Context(), batch(rows), out); err != nil {
		t.Fatal(err)
	}
	y, n := backend.View[float32](out[0].Data), backend.View[int64](out[1].Data)
	last := rows*width - 1
	if len(y) != rows*width || y[last] != 2*float32(last) || len(n) != rows || n[rows-1] != int64(10*(rows-1)+1) {
		t.Errorf("%d rows: %d elements of y, %d of n", rows, len(y), len(n))
	}
	out[0].Release()
	out[1].Release()
}

func TestRegionGrows(t *testing.T) {
	s := openFault(t, "none")
	for _, rows := range []int{1, 3000, 2, 9000, 9000, 1} { // 9000 rows need 10.8 MB for inputs and outputs
		checkBatch(t, s, rows)
	}
	if s.Describe().Details["tensors"] != "shared memory" {
		t.Errorf("%+v", s.Describe())
	}
}

func TestWithoutSharedMemory(t *testing.T) {
	for fault, want := range map[string]string{
		"cannot map":  "stream: ", // followed by the reason
		"stream only": "stream",
	} {
		t.Run(fault, func(t *testing.T) {
			s := openFault(t, fault)
			checkBatch(t, s, 3)
			checkBatch(t, s, 3000)
			if got := s.Describe().Details["tensors"]; !strings.HasPrefix(got, want) || fault == "stream only" && got != want {
				t.Errorf("tensors go through %q, want %q", got, want)
			}
		})
	}
}

func TestNoiseDoesNotDisturb(t *testing.T) { checkBatch(t, openFault(t, "noise"), 3) }

func TestRefuses(t *testing.T) {
	cases := []struct {
		fault string
		want  []string
	}{
		{"exit", []string{"exit status 1", "no such device: acme0"}},
		{"usage", []string{`"usage: acme MODEL"`, "1|1|unix|PATH|grpc"}},
		{"exit in a line", []string{"exit status 3", "no licence"}},
		{"chatty", []string{`"loading the runtime ..."`, "1|1|unix|PATH|grpc: what else it says"}},
		{"silent", []string{"no address within 500ms", "1|1|unix|PATH|grpc, flushed; it printed nothing"}},
		{"newer", []string{"version 2", "version 1"}},
		{"tcp", []string{"grpc over tcp", "grpc over unix"}},
		{"other service", []string{"does not speak this protocol", "backend.proto"}},
		{"crash at open", []string{"ended (exit status 2)", "out of device memory"}},
		{"too many at a time", []string{"2147483648 batches at a time, want at most 4096"}},
		{"a bomb at open", []string{"its parts take far more memory than it has bytes"}},
		{"no dtype", []string{`input "x"`, "DTYPE_UNSPECIFIED"}},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			timeout := "60s"
			if c.fault == "silent" {
				timeout = "500ms"
			}
			_, err := Backend{Output: io.Discard}.Open(t.Context(), doublerModel(), backend.Config{
				Options: map[string]string{"command": command(t, c.fault), "start_timeout": timeout},
			})
			wantAll(t, err, c.want...)
		})
	}
}

func TestRefusesOptions(t *testing.T) {
	_, err := Backend{}.Open(t.Context(), doublerModel(), backend.Config{
		Options: map[string]string{"start_timeout": "soon", "shared_memory": "yes"},
	})
	wantAll(t, err, "command", "start_timeout=soon", "shared_memory=yes")
	if !errors.Is(err, backend.ErrOption) {
		t.Errorf("%v is no %v", err, backend.ErrOption)
	}
	_, err = Backend{Output: io.Discard}.Open(t.Context(), doublerModel(),
		backend.Config{Options: map[string]string{"command": "exec-no-such-program-x"}})
	wantAll(t, err, "exec-no-such-program-x", "not found")
	m := doublerModel()
	m.Path = filepath.Join(t.TempDir(), "none")
	if _, err = (Backend{Command: "false"}).Open(t.Context(), m, backend.Config{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing model: %v", err)
	}
}

func TestFaultsOfARun(t *testing.T) {
	cases := []struct {
		fault string
		want  []string
		ends  bool // the process is gone
	}{
		{"too few outputs", []string{"1 outputs, want 2"}, false},
		{"wrong shape", []string{"[1,301]"}, false},
		{"wrong dtype", []string{"it is int32"}, false},
		{"a shape without end", []string{"1,1,1"}, false},
		{"a bomb", []string{"its parts take far more memory than it has bytes"}, false},
		{"short data", []string{"bytes, want"}, false},
		{"outside the region", []string{"output 0", "of a region of"}, false},
		{"offset overflows", []string{"output 0", "of a region of"}, false},
		{"crash at run", []string{"exit status 2", "segmentation fault of a driver"}, true},
		{"answers the next", []string{"answered request 3, want one answer to request 2"}, false},
		{"answers namelessly", []string{"answered without the id of the request, want 2", `"request-ids"`}, false},
		{"attaches namelessly", []string{"answered without the id of the request, want 1"}, false},
		{"killed at run", []string{"killed", "run a batch"}, true},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			s := openFault(t, c.fault)
			out := make([]backend.Tensor, 2)
			err := s.Run(t.Context(), batch(1), out)
			wantAll(t, err, c.want...)
			if n := len(err.Error()); n > 64<<10 {
				t.Errorf("a message of %d bytes", n)
			}
			if c.ends {
				wantAll(t, s.Run(t.Context(), batch(1), out), "backend process")
			}
		})
	}
}

func TestEndedContextLeavesTheLane(t *testing.T) {
	g := newGate(t)
	s := g.session(t)
	g.giveUp(t, s, batch(2))
	g.open(t)
	checkBatch(t, s, 5) // not the answer to the previous batch
}

// A session with an abandoned batch is closed when the process has finished the batch.
func TestProcessClosesAnIdleSession(t *testing.T) {
	g := newGate(t)
	s := g.session(t)
	g.giveUp(t, s, batch(2))
	s.child.grace = time.Hour // it must not be killed

	time.AfterFunc(200*time.Millisecond, func() { g.open(t) }) // usually while Close waits for it
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got, want := s.child.output.outputTail(), "closed with 0 batches at work"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A process whose plugin has ended also ends, even during a batch.
func TestDesertedProcessEnds(t *testing.T) {
	g := newGate(t)
	s := g.session(t)
	g.giveUp(t, s, batch(1))
	if err := s.child.stdin.Close(); err != nil { // as at the end of this process
		t.Fatal(err)
	}
	<-s.child.exited
	if got, want := s.child.output.outputTail(), "the plugin is gone"; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProcessEndsWithTheSession(t *testing.T) {
	for fault, grace := range map[string]time.Duration{"none": time.Hour, "never ends": 50 * time.Millisecond} {
		t.Run(fault, func(t *testing.T) {
			s, err := Backend{Command: command(t, fault), Output: io.Discard}.Open(t.Context(), doublerModel(),
				backend.Config{Concurrency: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := s.(*processSession).child
			p.grace = grace
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if p.cmd.ProcessState == nil {
				t.Fatal("the process lives on")
			}
			if got := p.cmd.ProcessState.Success(); got == (fault == "never ends") {
				t.Errorf("it ended by itself: %v (%v)", got, p.cmd.ProcessState)
			}
			if _, err := os.Stat(p.dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("its folder is left: %v", err)
			}
			if err := s.Run(t.Context(), batch(1), make([]backend.Tensor, 2)); err == nil {
				t.Error("a closed session ran a batch")
			}
		})
	}
}

func TestServeByHand(t *testing.T) {
	if err := Serve(doubler{}); !errors.Is(err, ErrByHand) {
		t.Errorf("error %v, want %v", err, ErrByHand)
	}
}

func TestFirstLine(t *testing.T) {
	for _, parts := range [][]string{
		{"1|1|unix|/x|grpc\nrest\n"}, {"1|1|un", "ix|/x|grpc", "\nre", "st\n"}, {"1|1|unix|/x|grpc\r\n", "rest\n"},
	} {
		found := make(chan string, 1)
		var rest bytes.Buffer
		f := &firstLineWriter{found: found, rest: &rest}
		for _, p := range parts {
			if n, err := f.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		f.flushPartial()
		if line := <-found; line != "1|1|unix|/x|grpc" || rest.String() != "rest\n" {
			t.Errorf("%q: line %q, rest %q", parts, line, rest.String())
		}
	}
}

func TestALineThatDoesNotEnd(t *testing.T) {
	f := &firstLineWriter{found: make(chan string, 1), rest: io.Discard}
	if _, err := f.Write([]byte("1|1|unix|/x|grpc")); err != nil {
		t.Fatal(err)
	}
	p := &childProcess{command: "c", output: &processOutput{to: io.Discard}, exited: make(chan struct{})}
	_, err := p.awaitHandshake(t.Context(), nil, f.partialLine, time.Millisecond)
	wantAll(t, err, "ended no line within 1ms", `began with "1|1|unix|/x|grpc"`, "and a line break")
}

func FuzzParse(f *testing.F) {
	f.Add("1|1|unix|/tmp/x|grpc")
	f.Add("1|1|unix")
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		p := &childProcess{command: "c", output: &processOutput{to: io.Discard}}
		if address, err := p.parseHandshake(line); err == nil && !strings.Contains(line, address) {
			t.Errorf("%q gives %q", line, address)
		}
	})
}

func FuzzWithin(f *testing.F) {
	f.Add(uint64(0), uint64(64))
	f.Add(uint64(math.MaxUint64), uint64(2))
	region := make([]byte, 128)
	f.Fuzz(func(t *testing.T, offset, size uint64) {
		data, err := regionPart(region, &backendpb.Tensor{Offset: offset, Size: size})
		if err == nil && uint64(len(data)) != size {
			t.Errorf("%d bytes, want %d", len(data), size)
		}
	})
}

// BenchmarkRun runs batches of 600 KB in and out on two lanes.
func BenchmarkRun(b *testing.B) {
	for _, shared := range []string{"auto", "off"} {
		b.Run("shared_memory="+shared, func(b *testing.B) {
			s, err := Backend{Command: command(b, "none"), Output: io.Discard}.Open(b.Context(), doublerModel(), backend.Config{
				Concurrency: 2, Options: map[string]string{"shared_memory": shared},
			})
			if err != nil {
				b.Fatal(err)
			}
			in := batch(500) // x is 600,000 bytes
			b.SetBytes(int64(len(in[1].Data)))
			b.ReportAllocs()
			var lanes sync.WaitGroup
			work := make(chan struct{})
			for range 2 {
				lanes.Go(func() {
					out := make([]backend.Tensor, 2)
					for range work {
						if err := s.Run(b.Context(), in, out); err != nil {
							b.Error(err)
						}
						out[0].Release()
						out[1].Release()
					}
				})
			}
			for b.Loop() {
				work <- struct{}{}
			}
			close(work)
			lanes.Wait()
			b.StopTimer()
			_ = s.Close()
		})
	}
}
