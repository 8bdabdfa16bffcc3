package kserve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func doubler() backend.Model {
	return backend.Model{
		Name: "doubler",
		Inputs: []backend.TensorInfo{{Name: "ids", DType: backend.Int64, Shape: []int64{-1}},
			{Name: "x", DType: backend.Float32, Shape: []int64{-1, width}}},
		Outputs: []backend.TensorInfo{{Name: "y", DType: backend.Float32, Shape: []int64{-1, width}},
			{Name: "n", DType: backend.Int64, Shape: []int64{-1}}},
	}
}

func TestSuite(t *testing.T) {
	for _, fault := range []string{"", "typed", "no metadata"} {
		t.Run("server "+fault, func(t *testing.T) {
			s := serve(t, &server{fault: fault}, "")
			suite := sdktest.Backend{
				Backend: Backend{}, Model: doubler(), ForgivesFiles: true,
				Options: map[string]string{"url": s.address, "batch": "8"},
			}
			if fault == "no metadata" {
				open(t, map[string]string{"url": s.address}) // nothing to reject: the benchmark's tensors are assumed
				return
			}
			sdktest.RunBackendSuite(t, suite)
		})
	}
}

func open(t testing.TB, options map[string]string) backend.Session {
	t.Helper()
	s, err := Backend{}.Open(t.Context(), doubler(), backend.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The default name of the model at the server is the harness's name for it, because the server does not know the file's
// name.
func TestModelNameWithoutTheOption(t *testing.T) {
	srv := serve(t, &server{}, "")
	m := doubler()
	name := m.Name
	m.Name = "embedded-fp32"
	url := map[string]string{"url": srv.address}
	s, err := Backend{}.Open(t.Context(), m, backend.Config{Options: url, ModelName: name})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &wires{hosts: map[string]*wire{}}
		w.serve(t, "a:1", &server{})
		_, err := Backend{dial: w.dial}.Open(t.Context(), m, backend.Config{Options: map[string]string{"url": "a:1"}})
		wantAll(t, err, "embedded-fp32")
	})
}

// batch returns inputs of one row.
func batch() []backend.Tensor {
	return []backend.Tensor{
		{Name: "ids", DType: backend.Int64, Shape: []int64{1}, Data: backend.Bytes([]int64{7})},
		{Name: "x", DType: backend.Float32, Shape: []int64{1, width}, Data: backend.Bytes([]float32{1, 2, 3, 4})},
	}
}

func run(ctx context.Context, s backend.Session) error {
	out := make([]backend.Tensor, 2)
	if err := s.Run(ctx, batch(), out); err != nil {
		return err
	}
	if y, n := backend.View[float32](out[0].Data), backend.View[int64](out[1].Data); y[3] != 8 || n[0] != 8 {
		return errors.New("wrong answers")
	}
	return nil
}

// runMany executes n runs with the session's preferred concurrency.
func runMany(t *testing.T, s backend.Session, n int) {
	t.Helper()
	work := make(chan struct{})
	var workers sync.WaitGroup
	for range s.Limits().Concurrency {
		workers.Go(func() {
			for range work {
				if err := run(t.Context(), s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range n {
		work <- struct{}{}
	}
	close(work)
	workers.Wait()
}

func TestOpenRefuses(t *testing.T) {
	cases := []struct {
		name    string
		server  *server // nil: a correct server at a:1
		options map[string]string
		class   error
		want    []string
	}{
		{"no url", nil, map[string]string{"url": ""}, backend.ErrOption, []string{"url is missing"}},
		{"all faults", nil, map[string]string{"url": "here", "batch": "0", "timeout": "soon", "lost": "cry", "speed": "1"},
			backend.ErrOption,
			[]string{`"here"`, "batch=0", "timeout=soon", "lost=cry", `"speed"`}},
		{"ca without TLS", nil, map[string]string{"ca": "x.pem"}, backend.ErrOption, []string{"grpcs://"}},
		{"no such token", nil, map[string]string{"token_env": "NO_SUCH_TOKEN"}, backend.ErrOption, []string{"NO_SUCH_TOKEN"}},
		{"nobody listens", nil, map[string]string{"url": "b:1"}, nil, []string{"b:1", "not ready", "cannot be reached"}},
		{"no such host", nil, map[string]string{"url": "no.such.host.invalid:80"}, nil,
			[]string{"no.such.host.invalid", "cannot be reached", "its name is unknown"}},
		{"other model", nil, map[string]string{"model": "resnet"}, backend.ErrModel, []string{`"resnet"`, "ready"}},
		{"not ready", &server{fault: "not ready"}, nil, nil, []string{"not ready within 300ms"}},
		{"wrong width", &server{fault: "other width"}, nil, backend.ErrTensors, []string{`"y"`, "[N,5]", "[N,4]"}},
		{"unknown datatype", &server{fault: "unknown datatype"}, nil, backend.ErrTensors, []string{`"n"`, "FP8"}},
		{"texts", &server{fault: "text output"}, nil, backend.ErrTensors, []string{`"n"`, "uint8", "int64"}},
		{"no stream", nil, map[string]string{"stream": "on"}, nil, []string{"a:1", "does not stream", "stream=off"}},
		{"headers", nil, map[string]string{
			"header.grpc-x": "1", "header.Authorization": "x", "header.a": "\n", "header.": "1",
		}, backend.ErrOption,
			[]string{"header.grpc-x: ", "token_env", "header.a: ", `unknown option "header."`}},
		{"TLS at some", nil, map[string]string{"url": "a:1,grpcs://a:1"}, backend.ErrOption,
			[]string{"all endpoints with TLS"}},
		{"token", &server{token: "secret"}, nil, nil, []string{"token_env"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wires{hosts: map[string]*wire{}}
				if c.server == nil {
					c.server = &server{}
				}
				w.serve(t, "a:1", c.server)
				options := map[string]string{"url": "a:1", "connect_timeout": "300ms"}
				maps.Copy(options, c.options)
				_, err := Backend{dial: w.dial}.Open(t.Context(), doubler(), backend.Config{Options: options})
				wantAll(t, err, c.want...)
				if c.class != nil && !errors.Is(err, c.class) {
					t.Errorf("%v is no %v", err, c.class)
				}
			})
		})
	}
}

func wantAll(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want it to hold %q", err, p)
		}
	}
}

func TestFaultsOfARun(t *testing.T) {
	for fault, want := range map[string][]string{
		"wrong shape":    {`y float32[N,4]`, "[1,5]"},
		"output missing": {`output "y"`, `["z" "n"]`},
		"one output":     {`output "n"`, `["y"]`},
		"wrong datatype": {`output "y"`, "it is FP16, want FP32"},
		"huge shape":     {`output "n"`, "[1099511627776 1099511627776]"},
		"negative shape": {`output "n"`, "[-1]"},
		"short raw":      {"1 raw contents for 2 outputs"},
		"short data":     {"y float32[N,4]", "7 bytes, want 16"},
	} {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprint(fault, ", streams ", streams), func(t *testing.T) {
				srv := serve(t, &server{fault: fault, streams: streams}, "")
				s := open(t, map[string]string{"url": srv.address})
				err := run(t.Context(), s)
				wantAll(t, err, append(want, srv.address)...)
				if !errors.Is(err, backend.ErrTensors) {
					t.Errorf("%v is no %v", err, backend.ErrTensors)
				}
				if n := s.(*kserveSession).endpoints[0].done.Load(); n != 0 {
					t.Errorf("%d answers are counted, want none", n)
				}
			})
		}
	}
}

func TestAnErrorOfOneRequest(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{fault: "errors"}, "").address, "lost": "go-on"})
	if err := errors.Join(run(t.Context(), s), run(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	wantAll(t, run(t.Context(), s), "CUDA out of memory") // a fault of the model: no other endpoint is tried
}

// TestAServerThatIsFull checks the error of a server that is reachable but overloaded.
func TestAServerThatIsFull(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{fault: "full"}, "").address})
	err := run(t.Context(), s)
	wantAll(t, err, "is lost: unavailable: the queue is full")
}

// TestSecretsAreNotShown checks that errors contain no secrets, because they appear on screens and in logs.
func TestSecretsAreNotShown(t *testing.T) {
	for key, value := range map[string]string{
		"url":                        "grpcs://user:hunter2@host:1",
		"header.authorization":       "Bearer hunter2",
		"header.Proxy-Authorization": "Basic hunter2",
		"header.cookie":              "session=hunter2",
		"header.X-API-Key":           "hunter2",
		"header.trace":               "hunter2\n",
	} {
		_, err := readSettings(map[string]string{"url": "host:1", key: value})
		wantAll(t, err, "option "+key+": ")
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
	_, err := Backend{Lookup: func(string) (string, bool) {
		return "hunter2\nX: y",
			true
	}}.requestHeader(sessionSettings{token: "T"})
	wantAll(t, err, "printable ASCII")
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

func TestLargestBatch(t *testing.T) {
	url := serve(t, &server{}, "").address
	for _, c := range []struct {
		option string
		config int
		want   int
	}{{"", 0, 1}, {"", 8, 8}, {"2", 8, 2}, {"8", 0, 8}} {
		options := map[string]string{"url": url}
		if c.option != "" {
			options["batch"] = c.option
		}
		s, err := Backend{}.Open(t.Context(), doubler(), backend.Config{MaxBatch: c.config, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		if l := s.Limits(); l.MaxBatch != c.want || l.PreferredBatch != c.want {
			t.Errorf("option %q with a batch of %d: limits %+v, want %d", c.option, c.config, l, c.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryServerIsNamed(t *testing.T) {
	var urls []string
	for _, name := range []string{"a", "b", "a"} {
		urls = append(urls, serve(t, &server{name: name}, "").address)
	}
	s := open(t, map[string]string{"url": strings.Join(urls, ",")})
	if v := s.(backend.Describer).Describe().Version; v != "a 1, b 1" {
		t.Errorf("servers %q, want each name once", v)
	}
}

func TestAServerThatDoesNotSayWhetherItIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wires{hosts: map[string]*wire{}}
		hung := &hanging{}
		hung.hangs.Store(true)
		w.serve(t, "a:1", hung)
		_, err := Backend{dial: w.dial}.Open(t.Context(), doubler(), backend.Config{Options: map[string]string{"url": "a:1"}})
		wantAll(t, err, "not ready within 10s", "option connect_timeout")
	})
}

func TestHangIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := wired(t, map[string]string{"timeout": "200ms"}, &server{delay: time.Hour})
		wantAll(t, run(t.Context(), s), "no answer in time")
	})
}

func TestEndOfTheContext(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{delay: time.Hour}, "").address})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := run(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

// TestTheEndIsKnownFromTheClock checks that a server's timeout status counts as the end of a context whose own timer
// has not expired yet.
func TestTheEndIsKnownFromTheClock(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	if err := contextEnded(ctx); err != nil {
		t.Errorf("error %v an hour before the end", err)
	}
	if err := contextEnded(late{t.Context()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v behind the end", err)
	}
	cancel()
	if err := contextEnded(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the cancel", err)
	}
}

// late is a context whose deadline has passed but whose timer has not expired.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now(), true }

func TestManyInFlightOverAllEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &server{delay: 20 * time.Millisecond}, &server{delay: 20 * time.Millisecond}
		s := wired(t, nil, a, b)
		runMany(t, s, 400)
		if a.served.Load()+b.served.Load() != 400 || a.served.Load() < 190 || b.served.Load() < 190 {
			t.Errorf("%d and %d requests, want about 200 at each", a.served.Load(), b.served.Load())
		}
		shares := s.(backend.Describer).Describe().Shares
		if len(shares) != 2 || shares[0].Name != a.address || shares[1].Batches != uint64(b.served.Load()) ||
			shares[0].Samples+shares[1].Samples < 400 {
			t.Errorf("shares %+v, want %d batches of %s and %d of %s", shares, a.served.Load(), a.address,
				b.served.Load(), b.address)
		}
		s.(*kserveSession).Restart()
		if shares = s.(backend.Describer).Describe().Shares; shares[0].Batches+shares[1].Samples != 0 {
			t.Errorf("shares %+v after Restart, want none", shares)
		}
		if most := a.most.Load() + b.most.Load(); most != defaultConcurrency {
			t.Errorf("%d requests in flight at most, want %d", most, defaultConcurrency)
		}
	})
}
