package batch

import (
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// WorkerJob describes the current work of one worker. Any goroutine may read it, even while the worker hangs. The
// worker writes only a few words for each batch and does not read a clock.
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
	queueing // collated, but all sessions are busy
	running
	delivering
)

// stageNames contains the names of the methods that a benchmark or a backend implements.
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

// Busy reports whether the worker has a batch.
func (j *WorkerJob) Busy() bool { return j.stage.Load() != idle }

// Steps returns the number of stages that the worker has entered.
func (j *WorkerJob) Steps() uint64 { return j.steps.Load() }

// Stage returns the name of the current stage.
func (j *WorkerJob) Stage() string { return stageNames[j.stage.Load()] }

// String describes the batch and its stage: "Run of 2 samples from sample 17 on".
func (j *WorkerJob) String() string {
	return fmt.Sprintf("%s of %s", j.Stage(), describeFrom(int(j.samples.Load()), loadgen.SampleIndex(j.first.Load())))
}
