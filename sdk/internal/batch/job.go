package batch

import (
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// WorkerJob is what one worker does at the moment. It may be looked at from any goroutine, also while the worker hangs:
// the worker writes a few words for each batch, and reads no clock for it.
type WorkerJob struct {
	steps   atomic.Uint64
	stage   atomic.Uint32
	samples atomic.Uint64
	first   atomic.Uint64
}

// The stages of a batch.
const (
	idle uint32 = iota
	collating
	queueing // collated; all sessions are at work
	running
	delivering
)

// stageNames are those of the methods that a benchmark or a backend implements.
var stageNames = [...]string{idle: "nothing", collating: "Collate", queueing: "the wait for a session", running: "Run",
	delivering: "Postprocess"}

func (j *WorkerJob) beginBatch(samples []loadgen.QuerySample) {
	j.samples.Store(uint64(len(samples)))
	j.first.Store(uint64(samples[0].Index))
	j.enterStage(collating)
}

func (j *WorkerJob) enterStage(stage uint32) {
	j.stage.Store(stage)
	j.steps.Add(1)
}

// Busy reports whether a batch is in work.
func (j *WorkerJob) Busy() bool { return j.stage.Load() != idle }

// Steps counts the stages that the worker has entered.
func (j *WorkerJob) Steps() uint64 { return j.steps.Load() }

// Stage names what the worker is in.
func (j *WorkerJob) Stage() string { return stageNames[j.stage.Load()] }

// String names the batch and its stage: "Run of 2 samples from sample 17 on".
func (j *WorkerJob) String() string {
	return fmt.Sprintf("%s of %s", j.Stage(), describeFrom(int(j.samples.Load()), loadgen.SampleIndex(j.first.Load())))
}
