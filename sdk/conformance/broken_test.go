package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// brokenEnv makes the test binary a plugin with the fault that it names: "none" has none.
const brokenEnv = "PLUMBLINE_TEST_BROKEN"

// lockEnv names the file with which a plugin keeps others from its device.
const lockEnv = "PLUMBLINE_TEST_LOCK"

// faultyDir is where the plugin with faults of the wire is built.
var faultyDir string

func TestMain(m *testing.M) {
	if fault, ok := os.LookupEnv(brokenEnv); ok {
		if fault == "silent by hand" && os.Getenv("PLUMBLINE_PLUGIN") == "" && len(os.Args) == 1 {
			os.Exit(0)
		}
		sdk.Main(broken{fault: fault}, sdk.WithBackend("null", null.Backend{}), sdk.WithBackend("other", otherBackend{}))
	}
	dir, err := os.MkdirTemp("", "plumbline-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	faultyDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// buildFaulty builds the plugin whose faults are on the wire; PLUMBLINE_FAULT names one.
func buildFaulty(t *testing.T) string {
	t.Helper()
	path := filepath.Join(faultyDir, "plumbline-plugin-faulty")
	out, err := exec.Command("go", "build", "-o", path, "github.com/plumbline-ml/plumbline/sdk/internal/faultyplugin").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// broken is the null benchmark with a small data set and a fault.
type broken struct {
	null.Benchmark
	fault string
}

const brokenSamples = 100

func (b broken) Describe() sdk.Description {
	d := b.Benchmark.Describe()
	d.Models[0].Datasets[0].Samples = brokenSamples
	switch b.fault {
	case "describes itself differently":
		d.Version = fmt.Sprint(os.Getpid())
	case "size":
		d.Models[0].Datasets[0].Samples = 2 * brokenSamples
	}
	return d
}

func (b broken) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	if o.Count == 0 {
		o.Count = brokenSamples
	}
	switch b.fault {
	case "litters":
		if _, err := os.CreateTemp("", "cache-"); err != nil {
			return nil, err
		}
	case "locks":
		f, err := os.OpenFile(os.Getenv(lockEnv), os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, errors.New("the device is in use by another process")
		}
		_ = f.Close()
	case "daemon":
		c := exec.Command("sleep", "3600")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Start(); err != nil {
			return nil, err
		}
	}
	w, err := b.Benchmark.Open(ctx, o)
	return &brokenWorkload{Workload: w, fault: b.fault, scenario: o.Scenario, seen: map[float32]bool{}}, err
}

type brokenWorkload struct {
	sdk.Workload
	fault    string
	scenario loadgen.Scenario
	seen     map[float32]bool
	hoard    [][]byte
	batches  int
}

func (w *brokenWorkload) Collate(samples []sdk.Sample, b *sdk.Batch) error {
	w.batches++
	switch w.fault {
	case "leaks":
		w.hoard = append(w.hoard, bytes.Repeat([]byte{1}, 64<<10))
	case "hoards":
		for range samples {
			w.hoard = append(w.hoard, bytes.Repeat([]byte{1}, 8<<10))
		}
	case "caches":
		for _, s := range samples {
			if v := s.(float32); !w.seen[v] {
				time.Sleep(3 * time.Millisecond)
				w.seen[v] = true
			}
		}
	}
	return w.Workload.Collate(samples, b)
}

func (w *brokenWorkload) Postprocess(outputs []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	var right sdk.Payloads
	if err := w.Workload.Postprocess(outputs, samples, &right); err != nil {
		return err
	}
	for i := range samples {
		p.Append(w.spoil(right.At(i), i, len(samples)))
	}
	return nil
}

// spoil makes some payloads wrong.
func (w *brokenWorkload) spoil(payload []byte, position, n int) []byte {
	wrong := binary.LittleEndian.AppendUint32(nil, 0x7149f2ca) // 1e30
	if w.fault == "by process" {
		return binary.LittleEndian.AppendUint32(nil, uint32(os.Getpid()))
	}
	switch {
	case w.fault == "by scenario" && w.scenario == loadgen.Server,
		w.fault == "by position" && position < n/2,
		w.fault == "by batch" && n == 1,
		w.fault == "wrong" && payload[2]&8 == 0:
		return wrong
	}
	return payload
}

func (w *brokenWorkload) Close() error {
	switch w.fault {
	case "never closes":
		time.Sleep(time.Hour)
	case "locks":
		_ = os.Remove(os.Getenv(lockEnv))
	}
	return w.Workload.Close()
}

// otherBackend gives wrong answers.
type otherBackend struct{ null.Backend }

func (o otherBackend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	s, err := o.Backend.Open(ctx, m, c)
	return otherSession{s}, err
}

type otherSession struct{ backend.Session }

func (s otherSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	err := s.Session.Run(ctx, in, out)
	if err == nil {
		data := make([]float32, len(out[0].Data)/4)
		out[0].Data = backend.Bytes(data)
	}
	return err
}
