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

// stage is a place of a benchmark where a fault can be.
type stage string

const (
	atOpen        stage = "Open"
	atLoad        stage = "Load"
	atCollate     stage = "Collate" // once, in mid-run
	atEachCollate stage = "each Collate"
	atPostprocess stage = "Postprocess"
	atClose       stage = "Close"
	atScorer      stage = "OpenScorer"
	atScore       stage = "Add" // of the scorer, in the middle of a log
)

// midRun is how many batches go well before a fault in mid-run.
const midRun = 3

// fault is what goes wrong in a benchmark, and where.
type fault struct {
	at    stage
	act   func() error
	score func(*sdk.Score) // what becomes of a score; nil: nothing
}

// works are the faults of a benchmark's code. Those of Collate and Postprocess occur in mid-run.
var works = map[string]*fault{
	"panic-open":        {at: atOpen, act: panics},
	"panic-load":        {at: atLoad, act: panics},
	"panic-collate":     {at: atCollate, act: panics},
	"panic-postprocess": {at: atPostprocess, act: panics},
	"hang-collate":      {at: atCollate, act: sleeps(time.Hour)},
	"panic-scorer":      {at: atScorer, act: panics},
	"panic-close":       {at: atClose, act: panics},
	"hang-load":         {at: atLoad, act: sleeps(time.Hour)},
	"error-open":        {at: atOpen, act: fails},
	"error-load":        {at: atLoad, act: fails},
	"error-collate":     {at: atCollate, act: fails},
	"error-scorer":      {at: atScorer, act: fails},
	"latin-1-collate":   {at: atCollate, act: failsInLatin1},
	"usage-open":        {at: atOpen, act: func() error { return sdk.Usage(errors.New("there is no such model")) }},
	"die-open":          {at: atOpen, act: dies},
	"die-load":          {at: atLoad, act: dies},
	"die":               {at: atCollate, act: dies},
	"exit-run":          {at: atCollate, act: exits},
	"stop":              {at: atCollate, act: stops},
	"die-with-child":    {at: atCollate, act: func() error { return errors.Join(startsChild(), dies()) }},
	"child":             {at: atOpen, act: startsChild},
	"slow-batches":      {at: atEachCollate, act: sleeps(5 * time.Millisecond)},
	"paced":             {at: atEachCollate, act: sleeps(200 * time.Microsecond)},
	"slow":              {at: atCollate, act: sleeps(1500 * time.Millisecond)},
	"slow-open":         {at: atOpen, act: sleeps(1500 * time.Millisecond)},
	"slow-close":        {at: atClose, act: sleeps(time.Hour)},
	"flood":             {at: atLoad, act: floods},
	"eat-memory":        {at: atCollate, act: eats},
	"eat-at-open":       {at: atOpen, act: eats},
	"breed":             {at: atCollate, act: breeds},
	"burn":              {at: atCollate, act: burns},
	"hoard":             {at: atCollate, act: hoards},
	"hoard-at-open":     {at: atOpen, act: hoards},
	"no-payload":        {at: atPostprocess, act: nil},
	"hang-score":        {at: atScore, act: scoresForHours},
	"die-score":         {at: atScore, act: dies},
	"score-empty":       {score: func(s *sdk.Score) { s.Metrics = nil }},
	"score-negative":    {score: func(s *sdk.Score) { s.Samples = -1 }},
	"score-twice":       {score: func(s *sdk.Score) { s.Metrics = append(s.Metrics, s.Metrics...) }},
	"score-long":        {score: func(s *sdk.Score) { s.OfficialText = strings.Repeat("x", longText) }},
	"score-notes":       {score: func(s *sdk.Score) { s.Notes = slices.Repeat([]string{""}, 100_000) }},
	"score-nan":         {score: func(s *sdk.Score) { s.Metrics[0].Value = math.NaN() }},
	"score-outside": {score: func(s *sdk.Score) {
		s.Files = []sdk.File{{Name: "good/a.txt", Data: []byte("a")}, {Name: "../../a.txt", Data: []byte("b")}}
	}},
	"score-log": {score: func(s *sdk.Score) {
		s.Files = []sdk.File{{Name: "./mlperf_log_accuracy.json", Data: []byte("b")}}
	}},
}

func panics() error { panic("the fault asked for it") }

func fails() error { return errors.New("the fault asked for it") }

// failsInLatin1 says it in the encoding of an old C library.
func failsInLatin1() error { return errors.New("kein Ger\xe4t") }

func exits() error {
	fmt.Fprintln(os.Stderr, "out of luck")
	os.Exit(4)
	return nil
}

func dies() error { return kill(syscall.SIGKILL) }

// stops suspends the process: heartbeats end, and so does everything else.
func stops() error { return kill(syscall.SIGSTOP) }

func kill(s syscall.Signal) error {
	fmt.Fprintf(os.Stderr, "last words before signal %d\n", int(s))
	return syscall.Kill(os.Getpid(), s)
}

// startsChild leaves a process behind that holds the plugin's output open.
func startsChild() error {
	c := exec.Command("sleep", "3600")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Start()
}

// scoresForHours says so in a file beside the witness's.
func scoresForHours() error {
	if err := os.WriteFile(os.Getenv(witnessEnv)+".scores", []byte("it scores"), 0o600); err != nil {
		return err
	}
	return sleeps(time.Hour)()
}

func sleeps(d time.Duration) func() error {
	return func() error { time.Sleep(d); return nil }
}

// floods prints one very long line to the descriptor that C libraries print to. A signal may cut a write short.
func floods() error {
	for line := []byte(strings.Repeat("x", 1<<20) + "\n"); len(line) > 0; {
		n, err := syscall.Write(1, line)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		line = line[max(n, 0):]
	}
	return nil
}

// benchmark is the null benchmark with a fault.
type benchmark struct {
	null.Benchmark
	fault *fault // nil: none
	warms bool   // the batches of a warm-up count too
}

func (b benchmark) Describe() sdk.Description {
	d := b.Benchmark.Describe()
	d.Name, d.Summary, d.Models[0].Name = "faulty", "goes wrong as asked", "faulty"
	return d
}

func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	if err := b.fault.occurs(atOpen); err != nil {
		return nil, err
	}
	o.Model = ""
	w, err := b.Benchmark.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	seen, err := openWitness()
	plain := &workload{batched: w.(batched), fault: b.fault, witness: seen}
	if b.warms {
		return warm{plain}, err
	}
	return plain, err
}

// warm is a workload with a sample for the warm-up.
type warm struct{ *workload }

func (w warm) WarmSample() sdk.Sample { return w.batched.(sdk.WarmSampler).WarmSample() }

func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	if err := b.fault.occurs(atScorer); err != nil {
		return nil, err
	}
	s, err := b.Benchmark.OpenScorer(ctx, o)
	if err != nil || b.fault == nil {
		return s, err
	}
	return &scorer{Scorer: s, fault: b.fault}, nil
}

// scorer is a scorer with a fault.
type scorer struct {
	sdk.Scorer
	fault   *fault
	entries int
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	if s.entries++; s.entries == midRun {
		if err := s.fault.occurs(atScore); err != nil {
			return err
		}
	}
	return s.Scorer.Add(e)
}

func (s *scorer) Result() (sdk.Score, error) {
	score, err := s.Scorer.Result()
	if err == nil && s.fault.score != nil {
		s.fault.score(&score)
	}
	return score, err
}

func (f *fault) occurs(at stage) error {
	if f == nil || f.at != at || f.act == nil {
		return nil
	}
	return f.act()
}

// batched is a workload of batches.
type batched interface {
	sdk.Workload
	sdk.Batcher
}

type workload struct {
	batched
	fault   *fault
	batches atomic.Int64
	witness *witness
}

func (w *workload) Load(ctx context.Context, i int) (sdk.Sample, error) {
	if err := w.fault.occurs(atLoad); err != nil {
		return nil, err
	}
	return w.batched.Load(ctx, i)
}

func (w *workload) Collate(samples []sdk.Sample, b *sdk.Batch) error {
	if w.batches.Add(1) == midRun {
		if err := w.fault.occurs(atCollate); err != nil {
			return err
		}
	}
	if err := w.fault.occurs(atEachCollate); err != nil {
		return err
	}
	return w.batched.Collate(samples, b)
}

func (w *workload) Postprocess(outputs []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	if w.batches.Load() >= midRun && w.fault != nil && w.fault.at == atPostprocess {
		return w.fault.occurs(atPostprocess) // and no payload
	}
	if err := w.witness.saw(samples); err != nil {
		return err
	}
	return w.batched.Postprocess(outputs, samples, p)
}

func (w *workload) Close() error {
	return errors.Join(w.fault.occurs(atClose), w.batched.Close(), w.witness.close())
}
