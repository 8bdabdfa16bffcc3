package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// serverEnv is the variable that makes the test binary a backend process with the named fault.
const serverEnv = "PLUMBLINE_TEST_BACKEND"

func TestMain(m *testing.M) {
	if fault, ok := os.LookupEnv(serverEnv); ok {
		if err := serveFaulty(fault); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command returns the command line of a backend process with a fault; "none" means no fault.
func command(t testing.TB, fault string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("env GORACE=atexit_sleep_ms=0 '%s=%s' '%s'", serverEnv, fault, exe)
}

// modelText is the content of every model file that the test's backend accepts.
const modelText = "doubler"

func doublerModel() backend.Model {
	return backend.Model{
		Name: "doubler", Bytes: []byte(modelText),
		Inputs: []backend.TensorInfo{{Name: "ids", DType: backend.Int64, Shape: []int64{-1}},
			{Name: "x", DType: backend.Float32, Shape: []int64{-1, width}}},
		Outputs: []backend.TensorInfo{{Name: "y", DType: backend.Float32, Shape: []int64{-1, width}},
			{Name: "n", DType: backend.Int64, Shape: []int64{-1}}},
	}
}

// width is the length of a row of x.
const width = 300

// doubler is a backend whose model has the outputs y = 2x and n = ids+1, and an output that is never bound.
type doubler struct{}

func (doubler) Open(_ context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	for name := range c.Options {
		if name != "size" {
			return nil, fmt.Errorf("%w: %q, want size", backend.ErrOption, name)
		}
	}
	text := m.Bytes
	if m.Path != "" {
		var err error
		if text, err = os.ReadFile(m.Path); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(text, []byte(modelText)) {
		return nil, fmt.Errorf("%w: %q, want %q", backend.ErrModel, text, modelText)
	}
	return doublerSession{c.Concurrency}, nil
}

type doublerSession struct{ concurrency int }

func (doublerSession) Inputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "x", DType: backend.Float32, Shape: []int64{-1, width}},
		{Name: "ids", DType: backend.Int64, Shape: []int64{-1}}}
}

func (doublerSession) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{
		{Name: "n", DType: backend.Int64, Shape: []int64{-1}}, {Name: "unused", DType: backend.Uint8, Shape: []int64{-1}},
		{Name: "y", DType: backend.Float32, Shape: []int64{-1, width}},
	}
}

func (s doublerSession) Limits() backend.Limits {
	return backend.Limits{Concurrency: s.concurrency, PreferredBatch: 7}
}
func (doublerSession) Describe() backend.Info {
	return backend.Info{Version: "doubler 1", Devices: []string{"test"}}
}
func (doublerSession) Close() error { return nil }

func (s doublerSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	if err := backend.CheckTensors("input", s.Inputs(), in); err != nil {
		return err
	}
	x, ids := backend.View[float32](in[0].Data), backend.View[int64](in[1].Data)
	if len(x)/width != len(ids) {
		return errors.New("x and ids are of different batches")
	}
	y, n := make([]float32, len(x)), make([]int64, len(ids))
	for i := range x {
		y[i] = 2 * x[i]
	}
	for i := range ids {
		n[i] = ids[i] + 1
	}
	rows := int64(len(ids))
	out[0] = backend.Tensor{DType: backend.Int64, Shape: []int64{rows}, Data: backend.Bytes(n)}
	out[1] = backend.Tensor{DType: backend.Uint8, Shape: []int64{rows}, Data: make([]byte, rows)}
	out[2] = backend.Tensor{DType: backend.Float32, Shape: []int64{rows, width}, Data: backend.Bytes(y)}
	return nil
}

// wantAll fails unless err's text contains all parts.
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
