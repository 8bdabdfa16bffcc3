// Command plumbline-plugin-broken is the null benchmark with the fault that PLUMBLINE_TEST_BROKEN names. Each fault
// makes one check of package conformance fail. Without the variable the plugin passes all checks.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

// The variables that the tests set.
const (
	faultEnv = "PLUMBLINE_TEST_BROKEN" // the fault
	lockEnv  = "PLUMBLINE_TEST_LOCK"   // the file with which the plugin keeps others from its device
)

func main() {
	fault := os.Getenv(faultEnv)
	if fault == "silent by hand" && os.Getenv("PLUMBLINE_PLUGIN") == "" && len(os.Args) == 1 {
		os.Exit(0)
	}
	var usual backend.Backend = null.Backend{}
	if fault == "hoards" {
		usual = narrowBackend{}
	}
	serve.Main(broken{fault: fault}, serve.Backend("null", usual), serve.Backend("other", otherBackend{}))
}

// broken is the null benchmark with a small data set and a fault.
type broken struct {
	null.Benchmark
	fault string
}

const brokenSamples = 100

func (b broken) Describe() sdk.Description {
	d := b.Benchmark.Describe()
	d.Name, d.Summary, d.Models[0].Name = "broken", "is unsound as asked", "broken"
	d.Models[0].Datasets[0].Samples = brokenSamples
	d.Models[0].DatasetActions = []sdk.DatasetAction{
		{Action: sdk.Convert, Name: "copy", Summary: "copies a file", Input: "a file", Output: "the copy"},
	}
	switch b.fault {
	case "describes itself differently":
		d.Version = fmt.Sprint(os.Getpid())
	case "size":
		d.Models[0].Datasets[0].Samples = 2 * brokenSamples
	case "works twice":
		d.Models[0].DatasetActions = append(d.Models[0].DatasetActions, d.Models[0].DatasetActions...)
	case "modest":
		d.Models[0].Files[0].Reference[0].Value = 60
	}
	return d
}

// WorkOnDataset copies a file, or says so where that is the fault.
func (b broken) WorkOnDataset(_ context.Context, r sdk.DatasetRequest, _ func(string)) (string, error) {
	text, err := os.ReadFile(r.Input)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.Output, "copy"), text, 0o600)
	}
	if b.fault == "copies nothing" {
		err = nil
	}
	return "copied", sdk.Data(err)
}

func (b broken) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	if o.Model != "" && o.Model != "broken" {
		return nil, sdk.Usage(fmt.Errorf("unknown model %q, this plugin has broken", o.Model))
	}
	o.Model = ""
	if o.Count == 0 {
		o.Count = brokenSamples
	}
	if err := b.atOpen(); err != nil {
		return nil, err
	}
	w, err := b.Benchmark.Open(ctx, o)
	plain := &brokenWorkload{batched: w.(batched), fault: b.fault, scenario: o.Scenario, seen: map[float32]bool{}}
	switch b.fault {
	case "streams":
		return stream{plain, 0}, err
	case "leaves one out":
		return stream{plain, 1}, err
	}
	return plain, err
}

// stream hands out its samples backwards, without the first ones.
type stream struct {
	*brokenWorkload
	from int
}

func (s stream) Order() (all []int64) {
	for i := s.Len() - 1; i >= s.from; i-- {
		all = append(all, int64(i))
	}
	return all
}

// atOpen leaves something behind.
func (b broken) atOpen() error {
	switch b.fault {
	case "litters":
		_, err := os.CreateTemp("", "cache-")
		return err
	case "locks":
		f, err := os.OpenFile(os.Getenv(lockEnv), os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return errors.New("the device is in use by another process")
		}
		return f.Close()
	case "daemon":
		c := exec.Command("sleep", "3600")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return c.Start()
	}
	return nil
}

// OpenScorer returns a scorer that takes anything, where that is the fault.
func (b broken) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	s, err := b.Benchmark.OpenScorer(ctx, o)
	switch b.fault {
	case "scores anything":
		s = lenient{s}
	case "writes text", "scores any text":
		s = texts{s, b.fault == "scores any text"}
	}
	return s, err
}

// texts scores numbers that are written as text: one that is none is a wrong answer, unless any is right.
type texts struct {
	sdk.Scorer
	any bool
}

func (t texts) Add(e mllog.AccuracyEntry) error {
	text := string(e.Data)
	if t.any {
		text = strings.ToValidUTF8(text, "")
	}
	number, _ := strconv.ParseUint(text, 10, 32)
	e.Data = binary.LittleEndian.AppendUint32(nil, uint32(number))
	return t.Scorer.Add(e)
}

type lenient struct{ sdk.Scorer }

func (l lenient) Add(e mllog.AccuracyEntry) error {
	_ = l.Scorer.Add(e)
	return nil
}

// batched is a workload of batches.
type batched interface {
	sdk.Workload
	sdk.Batcher
}

type brokenWorkload struct {
	batched
	fault    string
	scenario loadgen.Scenario

	mu      sync.Mutex // workers collate at the same time
	seen    map[float32]bool
	hoard   [][]byte
	scratch []byte
}

// maxHoarded bounds what "hoards" takes from the machine: more than the check allows, and than is kept before it
// looks.
const maxHoarded = 600 << 20

// piece is what is kept of a sample, or of a batch.
const piece = 64 << 10

func (w *brokenWorkload) Collate(samples []sdk.Sample, b *sdk.Batch) error {
	w.spend(samples)
	return w.batched.Collate(samples, b)
}

// spend takes memory or time for a batch.
func (w *brokenWorkload) spend(samples []sdk.Sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.fault {
	case "leaks":
		w.keep(piece)
	case "hoards": // enough of each sample that a few thousand of them show, however slow the machine
		for range samples {
			if len(w.hoard) < maxHoarded/piece {
				w.keep(piece)
			}
		}
	case "large batches": // is none: the memory is used again
		if n := len(samples) * 5 << 18; n > len(w.scratch) {
			w.scratch = bytes.Repeat([]byte{1}, n)
		}
	case "caches":
		for _, s := range samples {
			if v := s.(float32); !w.seen[v] {
				time.Sleep(100 * time.Millisecond) // longer than a busy machine delays most answers
				w.seen[v] = true
			}
		}
	}
}

// keep keeps memory for ever.
func (w *brokenWorkload) keep(n int) { w.hoard = append(w.hoard, bytes.Repeat([]byte{1}, n)) }

func (w *brokenWorkload) Postprocess(outputs []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	var right sdk.Payloads
	if err := w.batched.Postprocess(outputs, samples, &right); err != nil {
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
	switch {
	case w.fault == "by process":
		return binary.LittleEndian.AppendUint32(nil, uint32(os.Getpid()))
	case w.fault == "cut":
		return payload[:3]
	case w.fault == "writes text" || w.fault == "scores any text":
		return strconv.AppendUint(nil, uint64(binary.LittleEndian.Uint32(payload)), 10)
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
	return w.batched.Close()
}

// narrowBackend takes few samples at a time, on every machine: so little is in work before a flood.
type narrowBackend struct{ null.Backend }

func (b narrowBackend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	s, err := b.Backend.Open(ctx, m, c)
	return narrowSession{s}, err
}

type narrowSession struct{ backend.Session }

func (narrowSession) Limits() backend.Limits {
	const batch = 256
	return backend.Limits{Concurrency: 1, PreferredBatch: batch, MaxBatch: batch}
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
