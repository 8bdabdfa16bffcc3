package plan

import (
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// Watch observes the runs of a plan in progress. Functions that are nil are not called; the others are called one at a
// time, by the goroutine of Plan.Run, which waits for them.
type Watch struct {
	// Begun is called when the output folder is claimed and its runs are about to be made: from here on the end of the
	// context leads to an end in order.
	Begun func()
	// Opened is called with the record of each run as soon as the plugin has opened its workload.
	Opened func(record.Run)
	// Testing is called when LoadGen is about to start, and what it returns when it has ended. Snapshots of the progress
	// may be taken from any goroutine in between.
	Testing func(r Run, p *loadgen.Progress) (stop func())
	// Scoring is called often while an accuracy log is read by its scorer, and once with all of it read.
	Scoring func(read, size int64)
	// Done is called with the record of each run that has ended, or that is not made since another one failed.
	Done func(record.Run)
	// Note is called with messages for the user, for example about results in the output folder that were not replaced,
	// or about a run that is about to begin.
	Note func(text string)
}

// Complete returns w with unset functions replaced by functions that do nothing.
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
