package kserve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/plumbline-ml/plumbline/backends/kserve/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func doubler() backend.Model {
	return backend.Model{
		Name:    "doubler",
		Inputs:  []backend.TensorInfo{{Name: "ids", DType: backend.Int64, Shape: []int64{-1}}, {Name: "x", DType: backend.Float32, Shape: []int64{-1, width}}},
		Outputs: []backend.TensorInfo{{Name: "y", DType: backend.Float32, Shape: []int64{-1, width}}, {Name: "n", DType: backend.Int64, Shape: []int64{-1}}},
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
				open(t, map[string]string{"url": s.address}) // nothing to refuse: the benchmark is believed
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

// batch makes inputs of one row.
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

// runMany makes n runs, as many at a time as the session wants.
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
	plain := serve(t, &server{}, "")
	cases := []struct {
		name    string
		server  *server
		options map[string]string
		class   error
		want    []string
	}{
		{"no url", plain, map[string]string{}, backend.ErrOption, []string{"url is missing"}},
		{"all faults", plain, map[string]string{"url": "here", "batch": "0", "timeout": "soon", "lost": "cry", "speed": "1"}, backend.ErrOption,
			[]string{`"here"`, "batch=0", "timeout=soon", "lost=cry", `"speed"`}},
		{"ca without TLS", plain, map[string]string{"url": plain.address, "ca": "x.pem"}, backend.ErrOption, []string{"grpcs://"}},
		{"no such token", plain, map[string]string{"url": plain.address, "token_env": "NO_SUCH_TOKEN"}, backend.ErrOption, []string{"NO_SUCH_TOKEN"}},
		{"nobody listens", plain, map[string]string{"url": "127.0.0.1:1"}, nil, []string{"127.0.0.1:1", "not ready", "cannot be reached"}},
		{"no such host", plain, map[string]string{"url": "no.such.host.invalid:80"}, nil, []string{"no.such.host.invalid", "cannot be reached"}},
		{"other model", plain, map[string]string{"url": plain.address, "model": "resnet"}, nil, []string{`"resnet"`, "ready"}},
		{"not ready", serve(t, &server{fault: "not ready"}, ""), nil, nil, []string{"not ready within 300ms"}},
		{"wrong width", serve(t, &server{fault: "other width"}, ""), nil, backend.ErrTensors, []string{`"y"`, "[N,5]", "[N,4]"}},
		{"text", serve(t, &server{fault: "text output"}, ""), nil, backend.ErrTensors, []string{"BYTES"}},
		{"token", serve(t, &server{token: "secret"}, ""), nil, nil, []string{"token_env"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			options := c.options
			if options == nil {
				options = map[string]string{"url": c.server.address}
			}
			if options["url"] != "" {
				options["connect_timeout"] = "300ms"
			}
			_, err := Backend{}.Open(t.Context(), doubler(), backend.Config{Options: options})
			wantAll(t, err, c.want...)
			if c.class != nil && !errors.Is(err, c.class) {
				t.Errorf("%v is no %v", err, c.class)
			}
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
	for fault, want := range map[string]string{
		"wrong shape": "[1,5]", "output missing": `no output "y"`, "short raw": "1 raw contents for 2 outputs",
	} {
		t.Run(fault, func(t *testing.T) {
			srv := serve(t, &server{fault: fault}, "")
			err := run(t.Context(), open(t, map[string]string{"url": srv.address}))
			wantAll(t, err, srv.address, want)
			if !errors.Is(err, backend.ErrTensors) {
				t.Errorf("%v is no %v", err, backend.ErrTensors)
			}
		})
	}
}

func TestAnErrorOfOneRequest(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{fault: "errors"}, "").address, "lost": "go-on"})
	if err := errors.Join(run(t.Context(), s), run(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	wantAll(t, run(t.Context(), s), "CUDA out of memory") // it is the model's: no other endpoint is tried
}

func TestHangIsAnError(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{delay: time.Hour}, "").address, "timeout": "200ms"})
	wantAll(t, run(t.Context(), s), "no answer in time")
}

func TestEndOfTheContext(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{delay: time.Hour}, "").address})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := run(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

func TestManyInFlightOverAllEndpoints(t *testing.T) {
	a, b := serve(t, &server{delay: 20 * time.Millisecond}, ""), serve(t, &server{delay: 20 * time.Millisecond}, "")
	s := open(t, map[string]string{"url": a.address + "," + b.address})
	runMany(t, s, 400)
	if a.served.Load()+b.served.Load() != 400 || a.served.Load() < 100 || b.served.Load() < 100 {
		t.Errorf("%d and %d requests, want about 200 at each", a.served.Load(), b.served.Load())
	}
	about := s.(backend.Describer).Describe().Details
	if !strings.Contains(about["endpoint "+a.address], "batches") || !strings.Contains(about["endpoint "+b.address], "%") {
		t.Errorf("described as %v, want each endpoint's share", about)
	}
	if most := a.most.Load() + b.most.Load(); most < 32 {
		t.Errorf("%d requests in flight at most, want about %d", most, defaultConcurrency)
	}
}

func TestALostEndpoint(t *testing.T) {
	a, b := serve(t, &server{}, ""), serve(t, &server{}, "")
	urls := a.address + "," + b.address
	t.Run("ends the run", func(t *testing.T) {
		c := serve(t, &server{}, "")
		s := open(t, map[string]string{"url": c.address})
		c.stop()
		wantAll(t, run(t.Context(), s), c.address, "lost", "lost=go-on")
	})
	t.Run("the others go on", func(t *testing.T) {
		s := open(t, map[string]string{"url": urls, "lost": "go-on"})
		runMany(t, s, 20)
		a.stop()
		runMany(t, s, 100)
		if a.served.Load()+b.served.Load() != 120 {
			t.Errorf("%d and %d requests, want 120 in all", a.served.Load(), b.served.Load())
		}
		back := serve(t, &server{}, a.address) // on the old address
		deadline := time.Now().Add(20 * time.Second)
		for back.served.Load() == 0 && time.Now().Before(deadline) {
			runMany(t, s, 4)
			time.Sleep(50 * time.Millisecond)
		}
		if back.served.Load() == 0 {
			t.Error("an endpoint that is ready again gets no requests")
		}
		back.stop()
		b.stop()
		wantAll(t, run(t.Context(), s), "every endpoint is lost", a.address, b.address)
	})
}

func TestTokenAndTLS(t *testing.T) {
	cert, ca := certificate(t)
	srv := serve(t, &server{token: "secret"}, "", grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
	b := Backend{Lookup: func(name string) (string, bool) { return "secret", name == "MY_TOKEN" }}
	s, err := b.Open(t.Context(), doubler(), backend.Config{Options: map[string]string{"url": "grpcs://" + srv.address, "ca": ca, "token_env": "MY_TOKEN"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run(t.Context(), s), s.Close()); err != nil {
		t.Error(err)
	}
	_, err = b.Open(t.Context(), doubler(), backend.Config{Options: map[string]string{"url": "grpcs://" + srv.address, "connect_timeout": "2s"}})
	wantAll(t, err, "certificate")
}

// certificate makes a certificate for the loopback address, and a PEM file with it.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

func TestContentsOfEveryDatatype(t *testing.T) {
	c := &oip.InferTensorContents{
		BoolContents: []bool{true, false}, IntContents: []int32{-1, 2}, Int64Contents: []int64{-1, 2}, UintContents: []uint32{1, 2},
		Uint64Contents: []uint64{1, 2}, Fp32Contents: []float32{1, 2}, Fp64Contents: []float64{1, 2},
	}
	for d, name := range datatypes {
		data, err := contents(d, c)
		raw := d == backend.Float16 || d == backend.BFloat16
		if (err != nil) != raw || !raw && len(data) != 2*d.Size() {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		if back, err := parseDatatype(name); err != nil || back != d {
			t.Errorf("%s reads as %v, %v", name, back, err)
		}
	}
}

// FuzzTensor reads responses that make no sense.
func FuzzTensor(f *testing.F) {
	f.Add("FP32", int64(2), []byte{0, 0, 0, 0, 0, 0, 0, 0}, true)
	f.Add("INT8", int64(-3), []byte{}, false)
	f.Fuzz(func(t *testing.T, datatype string, rows int64, raw []byte, isRaw bool) {
		r := &oip.ModelInferResponse{Outputs: []*oip.InferOutputTensor{{Name: "y", Datatype: datatype, Shape: []int64{rows}}}}
		if isRaw {
			r.RawOutputContents = [][]byte{raw}
		}
		_, _ = tensor(r, 0)
	})
}

// BenchmarkRun sends requests of 600 KB, as a picture is, to a server in the same process, 64 at a time.
func BenchmarkRun(b *testing.B) {
	srv := serve(b, &server{}, "")
	s := open(b, map[string]string{"url": srv.address})
	const rows = 37500
	in := []backend.Tensor{
		{DType: backend.Int64, Shape: []int64{rows}, Data: make([]byte, 8*rows)},
		{DType: backend.Float32, Shape: []int64{rows, width}, Data: make([]byte, 4*width*rows)},
	}
	b.SetBytes(int64(len(in[1].Data)))
	b.ReportAllocs()
	b.SetParallelism(defaultConcurrency / 2)
	b.RunParallel(func(p *testing.PB) {
		out := make([]backend.Tensor, 2)
		for p.Next() {
			if err := s.Run(b.Context(), in, out); err != nil {
				b.Error(err)
			}
			out[0].Data, out[1].Data = nil, nil
		}
	})
}
