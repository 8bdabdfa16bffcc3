package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// faultStage is a method of a benchmark in which a fault can occur.
type faultStage string

const (
	atOpen        faultStage = "Open"
	atLoad        faultStage = "Load"
	atCollate     faultStage = "Collate" // once, in the middle of a run
	atEachCollate faultStage = "each Collate"
	atPostprocess faultStage = "Postprocess"
	atClose       faultStage = "Close"
	atScorer      faultStage = "OpenScorer"
	atScore       faultStage = "Add" // of the scorer, in the middle of a log
)

// midRun is the number of successful batches before a fault in the middle of a run.
const midRun = 3

// plannedFault is a fault of a benchmark and its place.
type plannedFault struct {
	at    faultStage
	act   func() error
	score func(*sdk.Score) // changes a score; nil: no change
}

// benchmarkFaults contains the faults of a benchmark's code. Those of Collate and Postprocess occur in the middle of a
// run.
var benchmarkFaults = map[string]*plannedFault{
	"panic-open":        {at: atOpen, act: raisePanic},
	"panic-load":        {at: atLoad, act: raisePanic},
	"panic-collate":     {at: atCollate, act: raisePanic},
	"panic-postprocess": {at: atPostprocess, act: raisePanic},
	"hang-collate":      {at: atCollate, act: sleepFor(time.Hour)},
	"panic-scorer":      {at: atScorer, act: raisePanic},
	"panic-close":       {at: atClose, act: raisePanic},
	"hang-load":         {at: atLoad, act: sleepFor(time.Hour)},
	"error-open":        {at: atOpen, act: returnError},
	"error-load":        {at: atLoad, act: returnError},
	"error-collate":     {at: atCollate, act: returnError},
	"error-scorer":      {at: atScorer, act: returnError},
	"latin-1-collate":   {at: atCollate, act: failsInLatin1},
	"usage-open":        {at: atOpen, act: func() error { return sdk.Usage(errors.New("there is no such model")) }},
	"die-open":          {at: atOpen, act: dieBySignal},
	"die-load":          {at: atLoad, act: dieBySignal},
	"die":               {at: atCollate, act: dieBySignal},
	"exit-run":          {at: atCollate, act: exitProcess},
	"stop":              {at: atCollate, act: stopProcess},
	"die-with-child":    {at: atCollate, act: func() error { return errors.Join(startsChild(), dieBySignal()) }},
	"child":             {at: atOpen, act: startsChild},
	"slow-batches":      {at: atEachCollate, act: sleepFor(5 * time.Millisecond)},
	"paced":             {at: atEachCollate, act: sleepFor(200 * time.Microsecond)},
	"slow":              {at: atCollate, act: sleepFor(1500 * time.Millisecond)},
	"slow-open":         {at: atOpen, act: sleepFor(1500 * time.Millisecond)},
	"slow-close":        {at: atClose, act: sleepFor(time.Hour)},
	"flood":             {at: atLoad, act: floodOutput},
	"eat-memory":        {at: atCollate, act: eatMemory},
	"eat-at-open":       {at: atOpen, act: eatMemory},
	"breed":             {at: atCollate, act: spawnProcesses},
	"burn":              {at: atCollate, act: burnProcessor},
	"hoard":             {at: atCollate, act: hoardFiles},
	"hoard-at-open":     {at: atOpen, act: hoardFiles},
	"no-payload":        {at: atPostprocess, act: nil},
	"hang-score":        {at: atScore, act: scoresForHours},
	"die-score":         {at: atScore, act: dieBySignal},
	"score-empty":       {score: func(s *sdk.Score) { s.Metrics = nil }},
	"score-negative":    {score: func(s *sdk.Score) { s.Samples = -1 }},
	"score-twice":       {score: func(s *sdk.Score) { s.Metrics = append(s.Metrics, s.Metrics...) }},
	"score-long":        {score: func(s *sdk.Score) { s.OfficialText = strings.Repeat("x", longText) }},
	"score-notes":       {score: func(s *sdk.Score) { s.Notes = slices.Repeat([]string{""}, 100_000) }},
	"score-nan":         {score: func(s *sdk.Score) { s.Metrics[0].Value = math.NaN() }},
	"score-outside": {score: func(s *sdk.Score) {
		s.Files = []sdk.ScoreFile{{Name: "good/a.txt", Data: []byte("a")}, {Name: "../../a.txt", Data: []byte("b")}}
	}},
	"score-log": {score: func(s *sdk.Score) {
		s.Files = []sdk.ScoreFile{{Name: "./mlperf_log_accuracy.json", Data: []byte("b")}}
	}},
}

func raisePanic() error { panic("the fault asked for it") }

func returnError() error { return errors.New("the fault asked for it") }

// failsInLatin1 returns an error in the encoding of an old C library.
func failsInLatin1() error { return errors.New("kein Ger\xe4t") }

func exitProcess() error {
	fmt.Fprintln(os.Stderr, "out of luck")
	os.Exit(4)
	return nil
}

func dieBySignal() error { return signalSelf(syscall.SIGKILL) }

// stopProcess suspends the process, so heartbeats end.
func stopProcess() error { return signalSelf(syscall.SIGSTOP) }

func signalSelf(s syscall.Signal) error {
	fmt.Fprintf(os.Stderr, "last words before signal %d\n", int(s))
	return syscall.Kill(os.Getpid(), s)
}

// startsChild leaves a child process that keeps the plugin's output open.
func startsChild() error {
	c := exec.Command("sleep", "3600")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Start()
}

// scoresForHours creates a file next to the witness's and then blocks.
func scoresForHours() error {
	if err := os.WriteFile(os.Getenv(witnessEnv)+".scores", []byte("it scores"), 0o600); err != nil {
		return err
	}
	return sleepFor(time.Hour)()
}

func sleepFor(d time.Duration) func() error {
	return func() error { time.Sleep(d); return nil }
}

// floodOutput prints one very long line to the descriptor of C libraries. A signal may interrupt a write.
func floodOutput() error {
	for line := []byte(strings.Repeat("x", 1<<20) + "\n"); len(line) > 0; {
		n, err := syscall.Write(1, line)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		line = line[max(n, 0):]
	}
	return nil
}

// faultyBenchmark is the null benchmark with a fault.
type faultyBenchmark struct {
	null.Benchmark
	fault *plannedFault // nil: no fault
	warms bool          // also count the batches of a warm-up
}

func (b faultyBenchmark) Describe() sdk.Description {
	d := b.Benchmark.Describe()
	d.Name, d.Summary, d.Models[0].Name = "faulty", "goes wrong as asked", "faulty"
	return d
}

func (b faultyBenchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	if err := b.fault.occursAt(atOpen); err != nil {
		return nil, err
	}
	o.Model = ""
	w, err := b.Benchmark.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	seen, err := openWitness()
	plain := &faultyWorkload{batchedWorkload: w.(batchedWorkload), fault: b.fault, witness: seen}
	if b.warms {
		return warmWorkload{plain}, err
	}
	return plain, err
}

// warmWorkload is a workload with a sample for the warm-up.
type warmWorkload struct{ *faultyWorkload }

func (w warmWorkload) WarmSample() sdk.Sample {
	return w.batchedWorkload.(sdk.WarmSampler).WarmSample()
}

func (b faultyBenchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	if err := b.fault.occursAt(atScorer); err != nil {
		return nil, err
	}
	s, err := b.Benchmark.OpenScorer(ctx, o)
	if err != nil || b.fault == nil {
		return s, err
	}
	return &faultyScorer{Scorer: s, fault: b.fault}, nil
}

// faultyScorer is a scorer with a fault.
type faultyScorer struct {
	sdk.Scorer
	fault   *plannedFault
	entries int
}

func (s *faultyScorer) Add(e mllog.AccuracyEntry) error {
	if s.entries++; s.entries == midRun {
		if err := s.fault.occursAt(atScore); err != nil {
			return err
		}
	}
	return s.Scorer.Add(e)
}

func (s *faultyScorer) Result() (sdk.Score, error) {
	score, err := s.Scorer.Result()
	if err == nil && s.fault.score != nil {
		s.fault.score(&score)
	}
	return score, err
}

func (f *plannedFault) occursAt(at faultStage) error {
	if f == nil || f.at != at || f.act == nil {
		return nil
	}
	return f.act()
}

// batchedWorkload is a workload of batches.
type batchedWorkload interface {
	sdk.Workload
	sdk.Batcher
}

type faultyWorkload struct {
	batchedWorkload
	fault   *plannedFault
	batches atomic.Int64
	witness *answerWitness
}

func (w *faultyWorkload) Load(ctx context.Context, i int) (sdk.Sample, error) {
	if err := w.fault.occursAt(atLoad); err != nil {
		return nil, err
	}
	return w.batchedWorkload.Load(ctx, i)
}

func (w *faultyWorkload) Collate(samples []sdk.Sample, b *sdk.Batch) error {
	if w.batches.Add(1) == midRun {
		if err := w.fault.occursAt(atCollate); err != nil {
			return err
		}
	}
	if err := w.fault.occursAt(atEachCollate); err != nil {
		return err
	}
	return w.batchedWorkload.Collate(samples, b)
}

func (w *faultyWorkload) Postprocess(outputs []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	if w.batches.Load() >= midRun && w.fault != nil && w.fault.at == atPostprocess {
		return w.fault.occursAt(atPostprocess) // without a payload
	}
	if err := w.witness.recordSamples(samples); err != nil {
		return err
	}
	return w.batchedWorkload.Postprocess(outputs, samples, p)
}

func (w *faultyWorkload) Close() error {
	return errors.Join(w.fault.occursAt(atClose), w.batchedWorkload.Close(), w.witness.close())
}
