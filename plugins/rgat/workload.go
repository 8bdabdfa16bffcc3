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

// graphWorkload is the benchmark with one model file and one graph. It implements sdk.Runner, which runs samples
// through the session.
type graphWorkload struct {
	samplingBinding
	file   backend.Model
	papers *paperSet
}

// paperSample is a paper. Its neighbourhood is sampled within the query.
type paperSample struct {
	key   uint64 // key of its random draws
	paper uint32
}

func (w *graphWorkload) Len() int { return len(w.papers.ids) }

// Parts returns the model with its own inputs, because a graph may lack inputs that cannot influence the output.
func (w *graphWorkload) Parts() []sdk.Part {
	w.file.Outputs = []backend.TensorInfo{{Name: w.Output, DType: backend.Float32, Also: []backend.DType{backend.Int64},
		Chosen: "--param output=NAME (empty: the first)"}}
	return []sdk.Part{{Model: w.file}}
}

// Load does nothing, because the reference also samples neighbourhoods within a query.
func (w *graphWorkload) Load(_ context.Context, i int) (paperSample, error) {
	return paperSample{uint64(i), w.papers.ids[i]}, nil
}

// WarmSample returns the first paper of the graph with separate random draws.
func (w *graphWorkload) WarmSample() paperSample { return paperSample{key: 1 << 63} }

// papersPerRun is the default number of papers per run.
const papersPerRun = 64

// SampleSize returns 1, because the number of nodes is unknown before sampling.
func (w *graphWorkload) SampleSize(paperSample) int { return 1 }

// SizeRule limits a batch by papers; a run of the model is limited by nodes.
func (w *graphWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Batch: papersPerRun} }

// MaxBatch returns 0, which means no limit.
func (w *graphWorkload) MaxBatch() int { return 0 }

// ExtraRuns returns the number of additional concurrent runs. If features are slow to read, runs read them while other
// runs are inferred.
func (w *graphWorkload) ExtraRuns() int {
	if w.papers.remote {
		return runtime.GOMAXPROCS(0)
	}
	return 0
}

// NewRun returns a run with the memory of one worker.
func (w *graphWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[paperSample], error) {
	session := s.Part("")
	return newGraphRun(w, session, checkThreads(session))
}

// checkThreads rejects a session whose sums would be wrong. ONNX Runtime's ScatterND, which adds up the messages into a
// node, loses some of them if several threads share a run.
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

// ClientWork lists the work between a paper and the model's graph inputs. There is always some.
func (w *graphWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"the neighbourhood of each paper is drawn, and the features of its nodes are gathered",
		"neighbourhoods of several papers are joined into one request",
		"the greatest logit is looked for (ArgMax), unless the model gives the class",
	}
}

func (w *graphWorkload) Close() error { return w.papers.Close() }
