package sdk

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Benchmark is one plugin with its task, models, data and metric.
type Benchmark interface {
	// Describe returns immediately. It opens no file and loads no model.
	Describe() Description
	// Open checks the data set and prepares a workload. Errors list all faults.
	Open(ctx context.Context, o Options) (Workload, error)
	// OpenScorer prepares to score an accuracy log. It needs only the data set and options, not a model or a backend.
	OpenScorer(ctx context.Context, o ScoreOptions) (Scorer, error)
}

// Workload is a benchmark opened on its models and one data set. Its methods may be called concurrently.
//
// These methods are the core. A workload also implements exactly one of [Batcher], [Runner] and [Generative], which
// determines how its samples run. [Batches], [Runs] and [Prompts] build a Workload from methods with typed samples
// instead of Sample.
type Workload interface {
	// Len returns the size of the data set.
	Len() int
	// Parts returns the models that the sdk opens on the backend, usually one, with the tensors that it binds. The sdk
	// calls it once.
	Parts() []Part
	// Load reads and preprocesses sample i of [0, Len). The sdk calls it untimed and concurrently, checks i, and stops
	// early when ctx ends.
	Load(ctx context.Context, i int) (Sample, error)
	Close() error
}

// Batcher is a Workload of one part whose samples are rows of a batch.
type Batcher interface {
	// Collate writes the samples of one batch into the model's inputs. Buffers in b are reused between batches.
	Collate(samples []Sample, b *Batch) error
	// Postprocess converts the model's outputs (in the order of Model.Outputs) to one official accuracy-log payload per
	// sample, in order, with p.Append. Outputs are valid only during the call.
	Postprocess(outputs []backend.Tensor, samples []Sample, p *Payloads) error
}

// SampleCounter is an optional interface of a Workload that knows better than its manifest how many samples fit in
// memory together. Without it, the number comes from the data set's entry. If the entry has no number or a larger one
// than the set, the whole set is loaded.
type SampleCounter interface {
	PerformanceSampleCount() int
}

// Sample is one preprocessed sample. Its type belongs to the workload. It must not change after Load.
type Sample any

// WarmSampler is an optional interface of a Workload. It provides a sample that is not in the data set for the untimed
// warm-up, for example zeros of the right shape.
type WarmSampler interface {
	WarmSample() Sample
}

// WorkloadInfoAdder is an optional interface of a Workload that corrects and completes the WorkloadInfo that the sdk
// collected.
type WorkloadInfoAdder interface {
	AddInfo(info *WorkloadInfo)
}

// Noter is an optional interface of a Workload that reports findings about its answers at the end of a run.
type Noter interface {
	RunNotes() RunNotes
}

// RunNotes contains a workload's findings about its answers, one phrase each. They may include findings of the warm-up.
type RunNotes struct {
	// Notes contains findings for people: "the tokenizer counts 7 % more tokens than the server".
	Notes []string
	// Estimates names the parts of the result that were not measured, and their source ("tokens are counted by the
	// tokenizer, because the server counts none"). They make a run a rehearsal.
	Estimates []string
}

// SampleCloser is an optional interface of a Sample that holds resources beyond memory.
type SampleCloser interface {
	Close() error
}

// Scorer computes a benchmark's official metric from the entries of one accuracy log, added in file order. Each
// benchmark has its own rule for samples that occur twice (first, last or all count). Add does not keep e's bytes. The
// sdk adds the entry to an error of Add. If the Scorer is also an io.Closer, the sdk closes it at the end.
type Scorer interface {
	Add(e mllog.AccuracyEntry) error
	Result() (Score, error)
}

// Score is the metric of one accuracy log.
type Score struct {
	Metrics []Metric // one or more
	// Samples is the number of distinct samples scored.
	Samples int
	// OfficialText is the body of accuracy.txt in the form of the official script, without the hash line.
	OfficialText string
	// Notes contains remarks for people: missing samples, duplicates dropped.
	Notes []string
	// Files contains the files that a submission contains in addition to the log. The harness writes them to its folder.
	Files []ScoreFile
	// Exhibits contains samples for people to look at, the worst first. ScoreOptions.Exhibits limits their number.
	Exhibits []Exhibit
	// Parts contains the models that the scorer ran. The sdk fills it in.
	Parts []PartReport
}

// ScoreFile is a file made by a scorer.
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

// Options determines what to open. The zero value of each field means the benchmark's default.
type Options struct {
	Model     string // a model's name from Describe
	ModelFile string // path of a model file, or the name of one of the model's files in Describe; empty: the embedded one
	// PartFiles contains the model files of single parts of a model with several, by part name. The other parts come from
	// ModelFile.
	PartFiles map[string]string
	Precision string // chooses among embedded files: "fp32" (default), "int8"
	Dataset   string // path of a data set in the official layout; empty: the synthetic one
	Count     int    // use only the first Count samples of the data set; 0: all
	// CountAtMost allows a data set with fewer samples than Count and uses all of them. Without it, such a data set is
	// an error.
	CountAtMost bool
	// Use is the purpose of the workload: UsePerformance, UseAccuracy, or the name of a compliance test. Older
	// harnesses leave it empty.
	Use string

	Scenario loadgen.Scenario
	// Batch is the largest batch; 0 lets the sdk choose by scenario and backend.
	Batch int
	// Sessions is the number of batches that run at a time; 0 lets the sdk choose.
	Sessions int

	Backend        string            // registered name; empty: the first one that the binary registers
	BackendOptions map[string]string // the backend's own options: "threads", "provider", "lib"
	Params         map[string]string // the benchmark's own parameters, described by its model

	// Network requests a run of the network division. The backend must be a client of other machines (backend.Remote). The
	// sdk asks these for their names and measures them. A request holds one sample unless Batch is set.
	Network bool
	// Devices contains the devices to run on, by the backend's names: "cpu:0-7", "cuda:1". Several devices share the work.
	// Empty: the backend chooses.
	Devices []string
}

// A benchmark that can compare answers with expected ones has the parameter ExpectParam: the path of a file of expected
// answers in the benchmark's own format. Its scorer then adds the metric Agreement, the percentage of answers that
// match.
const (
	ExpectParam = "expect"
	Agreement   = "agreement"
)

// A benchmark whose scorer runs programs that the model wrote has the parameter ExecuteParam, the interpreter that runs
// them, empty by default, and SandboxParam, full or weak; GraderParam may name a program that judges answers. Only
// these parameters start a program, so scoring a stored result again never takes them from that result.
const (
	ExecuteParam = "execute"
	SandboxParam = "sandbox"
	GraderParam  = "grader"
)

// ScoreOptions determines what to score against.
type ScoreOptions struct {
	Model   string
	Dataset string // empty: the synthetic one
	Use     string // the compliance test of the log; empty: an accuracy run
	Count   int
	// CountAtMost has the meaning of Options.CountAtMost.
	CountAtMost bool
	Params      map[string]string // e.g. "dtype": the payload's element type
	// Embedded reports that the answers came from the embedded model. Parameters missing from Params then have the
	// embedded model's defaults.
	Embedded bool

	// PartFiles contains the scorer's own models, by the names of ModelInfo.ScorerParts. Each value is the path of a file
	// or a folder, or the name of an embedded file. A part without a value uses its embedded file.
	PartFiles map[string]string
	// Memory is the path of a file next to the log. The file name contains the log's SHA-256. A slow scorer may save its
	// progress there to resume an interrupted scoring, and removes the file when the log is scored. Empty: no such file.
	Memory string
	// Show lists the samples whose answers a submission contains: Score.Files.
	Show []uint64
	// Exhibits is the maximum number of Score.Exhibits. 0: none.
	Exhibits int
	// OpenPart opens one of the scorer's models on the plugin's first backend, untimed, with one run at a time on all
	// cores. The sdk closes the session after Result and reports the model. nil: outside a plugin.
	OpenPart func(ctx context.Context, p Part) (backend.Session, error)
}
