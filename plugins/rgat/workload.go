package rgat

import (
	"context"
	"fmt"
	"runtime"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ sdk.RunnerOf[paperSample] = (*graphWorkload)(nil)
	_ sdk.ClientWorker          = (*graphWorkload)(nil)
	_ sdk.Overlapper            = (*graphWorkload)(nil)
)

// graphWorkload is the benchmark opened on one model file and one graph. It takes its samples through the session
// itself (sdk.Runner).
type graphWorkload struct {
	samplingBinding
	file   backend.Model
	papers *paperSet
}

// paperSample is a paper. Nothing of its neighbourhood is known before it is asked for.
type paperSample struct {
	key   uint64 // of its draws
	paper uint32
}

func (w *graphWorkload) Len() int { return len(w.papers.ids) }

// Parts is the model with whatever inputs it has: a graph may lack those that cannot reach the output.
func (w *graphWorkload) Parts() []sdk.Part {
	w.file.Outputs = []backend.TensorInfo{{Name: w.Output, DType: backend.Float32, Also: []backend.DType{backend.Int64},
		Chosen: "--param output=NAME (empty: the first)"}}
	return []sdk.Part{{Model: w.file}}
}

// Load loads nothing: the reference draws neighbourhoods within a query, too.
func (w *graphWorkload) Load(_ context.Context, i int) (paperSample, error) {
	return paperSample{uint64(i), w.papers.ids[i]}, nil
}

// WarmSample is the first paper of the graph with draws of its own.
func (w *graphWorkload) WarmSample() paperSample { return paperSample{key: 1 << 63} }

// papersPerRun is how many papers are taken at a time where nobody says.
const papersPerRun = 64

// SampleSize counts papers: the nodes of one are not known before it is drawn.
func (w *graphWorkload) SampleSize(paperSample) int { return 1 }

// SizeRule gives a batch its papers; a run of the model is bounded by nodes.
func (w *graphWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Batch: papersPerRun} }

// MaxBatch is no limit.
func (w *graphWorkload) MaxBatch() int { return 0 }

// ExtraRuns gather features while others are inferred, where features take their time.
func (w *graphWorkload) ExtraRuns() int {
	if w.papers.remote {
		return runtime.GOMAXPROCS(0)
	}
	return 0
}

// NewRun returns the memory of one worker.
func (w *graphWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[paperSample], error) {
	session := s.Part("")
	return newRun(w, session, checkThreads(session))
}

// checkThreads refuses a session that adds up wrongly: ScatterND of ONNX Runtime, which sums what the edges into a node
// carry, loses some of it where several threads share a run.
func checkThreads(session backend.Session) error {
	d, ok := session.(backend.Describer)
	if !ok {
		return nil
	}
	if threads := d.Describe().Details["threads"]; threads != "" && threads != "1" {
		return sdk.Usage(fmt.Errorf("%s threads for a run: sums over edges are wrong with more than one; "+
			"leave --sessions to the "+
			"program, or ask for --backend-opt threads=1", threads))
	}
	return nil
}

// ClientWork is never nothing: a model takes graphs, and a sample is a paper.
func (w *graphWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"the neighbourhood of each paper is drawn, and the features of its nodes are gathered",
		"neighbourhoods of several papers are joined into one request",
		"the greatest logit is looked for (ArgMax), unless the model gives the class",
	}
}

func (w *graphWorkload) Close() error { return w.papers.Close() }
