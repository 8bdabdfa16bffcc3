package sdk

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Benchmark is one plugin: a task, its models, its data and its metric.
type Benchmark interface {
	// Describe answers at once: it opens no file and loads no model.
	Describe() Description
	// Open checks the data set and prepares a workload. Errors name every fault found.
	Open(ctx context.Context, o Options) (Workload, error)
	// OpenScorer prepares scoring of an accuracy log: data set and options only, no model, no backend.
	OpenScorer(ctx context.Context, o ScoreOptions) (Scorer, error)
}

// Workload is a benchmark opened on its models and one data set. Its methods may be called concurrently.
//
// What is here is the core. A workload also implements exactly one of [Batcher], [Runner] and [Generative]: the way in
// which its samples are run. [Batches], [Runs] and [Prompts] make one of methods that take samples of a type, instead
// of Sample.
type Workload interface {
	// Len is the size of the data set.
	Len() int
	// Parts are the models that the sdk opens on the backend, one as a rule, with the tensors that it binds. It is asked
	// once.
	Parts() []Part
	// Load reads and preprocesses sample i of [0, Len): untimed, many at once. The sdk checks i, and ends early where ctx
	// does.
	Load(ctx context.Context, i int) (Sample, error)
	Close() error
}

// Batcher is a Workload of one part whose samples are rows of a batch.
type Batcher interface {
	// Collate writes the samples of one batch into the model's inputs. Buffers in b are reused between batches.
	Collate(samples []Sample, b *Batch) error
	// Postprocess turns the model's outputs (in the order of Model.Outputs) into one official accuracy-log payload per
	// sample, in order, with p.Append. Outputs are valid during the call only.
	Postprocess(outputs []backend.Tensor, samples []Sample, p *Payloads) error
}

// SampleCounter is an optional interface of a Workload that knows better than its manifest how many samples fit in
// memory together: without it, as many as the data set's entry says, or all where that says nothing or more.
type SampleCounter interface {
	PerformanceSampleCount() int
}

// Sample is one preprocessed sample. Its type belongs to the workload. It must not change after Load.
type Sample any

// WarmSampler is an optional interface of a Workload: a sample that is not in the data set, for the untimed warm-up
// (zeros of the right shape, say).
type WarmSampler interface {
	WarmSample() Sample
}

// WorkloadInfoAdder is an optional interface of a Workload: it corrects and completes what the sdk found out.
type WorkloadInfoAdder interface {
	AddInfo(info *WorkloadInfo)
}

// Noter is an optional interface of a Workload that tells at the end of a run what its answers have shown.
type Noter interface {
	RunNotes() RunNotes
}

// RunNotes are what a workload's answers have shown, a phrase each; what was seen in the warm-up may be among it.
type RunNotes struct {
	// Notes are for people: "the tokenizer counts 7 % more tokens than the server".
	Notes []string
	// Estimates say what of the result was not measured, and where it is from ("tokens are counted by the tokenizer, for
	// the server counts none"): they make a run a rehearsal.
	Estimates []string
}

// SampleCloser is an optional interface of a Sample that holds resources beyond memory.
type SampleCloser interface {
	Close() error
}

// Scorer computes a benchmark's official metric from the entries of one accuracy log, added in file order.
// Each benchmark's rule for samples that occur twice (first, last or all count) is its own. Add does not keep e's
// bytes; the sdk says of its error which entry it is about. One that is an io.Closer, too, is closed in the end.
type Scorer interface {
	Add(e mllog.AccuracyEntry) error
	Result() (Score, error)
}

// Score is the metric of one accuracy log.
type Score struct {
	Metrics []Metric // at least one
	// Samples is how many distinct samples were scored.
	Samples int
	// OfficialText is the body of accuracy.txt in the form of the official script, without the hash line.
	OfficialText string
	// Notes are remarks for people: missing samples, duplicates dropped.
	Notes []string
	// Files are what a submission hands in with the log: the harness writes them there.
	Files []ScoreFile
	// Exhibits are samples for people to look at, the worst first: at most as many as ScoreOptions.Exhibits wants.
	Exhibits []Exhibit
	// Parts are the models that the scorer ran: the sdk fills them in.
	Parts []PartReport
}

// ScoreFile is a file that a scorer made.
type ScoreFile struct {
	Name string // a folder and a name: "images/95.png"
	Data []byte
}

// Metric is one figure, unrounded.
type Metric struct {
	Name  string  // "accuracy"
	Unit  string  // "%"
	Value float64 // unrounded
}

// Options say what to open. The zero value of each field means the benchmark's default.
type Options struct {
	Model     string // a model's name from Describe
	ModelFile string // path of a model file, or the name of one of the model's files in Describe; empty: the embedded one
	// PartFiles are the same for single parts of a model that has several, by their names; the others are of ModelFile.
	PartFiles map[string]string
	Precision string // chooses among embedded files: "fp32" (default), "int8"
	Dataset   string // path of a data set in the official layout; empty: the synthetic one
	Count     int    // use only the first Count samples of the data set; 0: all
	// CountAtMost says that of a data set with fewer samples than Count all are meant; else it is an error.
	CountAtMost bool
	// Use is what the workload is opened for: UsePerformance, UseAccuracy, or the name of the compliance test that a run
	// is made for. Older harnesses do not say.
	Use string

	Scenario loadgen.Scenario
	// Batch is the largest batch; 0 lets the sdk choose by scenario and backend.
	Batch int
	// Sessions is how many batches run at a time; 0 lets the sdk choose.
	Sessions int

	Backend        string            // registered name; empty: the first one the binary registers
	BackendOptions map[string]string // the backend's own: "threads", "provider", "lib"
	Params         map[string]string // the benchmark's own, described by its model

	// Network asks for a run of the network division: the backend must be a client of other machines (backend.Remote),
	// which are asked for their names and measured; a request holds one sample unless Batch says otherwise.
	Network bool
	// Devices are what to run on, as the backend names them: "cpu:0-7", "cuda:1". The work is shared among several. Empty:
	// the backend's choice.
	Devices []string
}

// A benchmark that can compare answers with expected ones has the parameter ExpectParam, the path of a file of them, in
// a form of its own; its scorer then adds the metric Agreement, the percentage of answers that are as expected.
const (
	ExpectParam = "expect"
	Agreement   = "agreement"
)

// A benchmark whose scorer runs programs that the model wrote has the parameter ExecuteParam, the interpreter that runs
// them, empty by default, and SandboxParam, full or weak; GraderParam may name one that judges answers. They are the
// only parameters that start a program, so that none is taken from a result that is scored again.
const (
	ExecuteParam = "execute"
	SandboxParam = "sandbox"
	GraderParam  = "grader"
)

// ScoreOptions say what to score against.
type ScoreOptions struct {
	Model   string
	Dataset string // empty: the synthetic one
	Use     string // the compliance test that the log is of; empty: an accuracy run
	Count   int
	// CountAtMost is as that of Options.
	CountAtMost bool
	Params      map[string]string // e.g. "dtype": the payload's element type
	// Embedded says that the embedded model gave the answers: parameters that Params leaves out have its defaults.
	Embedded bool

	// PartFiles are the models of the scorer's own, by the names of ModelInfo.ScorerParts: the path of a file or a folder,
	// or the name of an embedded file. A part that is not there has its embedded file.
	PartFiles map[string]string
	// Memory is the path of a file next to the log, of which its name holds the SHA-256: a scorer whose work takes long
	// may keep it there, to go on where an earlier scoring ended, and removes it when the log is scored. Empty: there is
	// none.
	Memory string
	// Show are the samples whose answers a submission hands in: Score.Files.
	Show []uint64
	// Exhibits is at most how many samples for people to look at are wanted: Score.Exhibits. 0: none.
	Exhibits int
	// OpenPart opens one of them: untimed, one run at a time on all cores, on the plugin's first backend. The sdk closes
	// the session behind Result, and reports the model. nil: outside of a plugin.
	OpenPart func(ctx context.Context, p Part) (backend.Session, error)
}
