package plan

import (
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// Watch observes the runs of a plan in progress. It does not call functions that are nil. The others are called one at
// a time by the goroutine of Plan.Run, which waits for them.
type Watch struct {
	// Begun is called when the output folder is claimed and the runs are about to begin. From then on, the end of the
	// context ends the runs in order.
	Begun func()
	// Opened is called with the record of each run as soon as the plugin has opened its workload.
	Opened func(record.Run)
	// Testing is called before LoadGen starts. Its result is called after LoadGen has ended. Between the two calls, any
	// goroutine may take snapshots of the progress.
	Testing func(r Run, p *loadgen.Progress) (stop func())
	// Scoring is called often while the scorer reads an accuracy log, and once when it has read all of it.
	Scoring func(read, size int64)
	// Done is called with the record of each run that has ended or that is not made because another run failed.
	Done func(record.Run)
	// Note is called with messages for the user, for example about results in the output folder that were not replaced, or
	// about a run that is about to begin.
	Note func(text string)
}

// Complete returns w with nil functions replaced by functions that do nothing.
func (w Watch) Complete() Watch {
	nothing := func(record.Run) {}
	if w.Begun == nil {
		w.Begun = func() {}
	}
	if w.Opened == nil {
		w.Opened = nothing
	}
	if w.Testing == nil {
		w.Testing = func(Run, *loadgen.Progress) func() { return func() {} }
	}
	if w.Scoring == nil {
		w.Scoring = func(int64, int64) {}
	}
	if w.Done == nil {
		w.Done = nothing
	}
	if w.Note == nil {
		w.Note = func(string) {}
	}
	return w
}
