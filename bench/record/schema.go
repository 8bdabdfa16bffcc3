// Package record contains the record of a run, which is the source of result.json and of its text, so that they cannot
// disagree. The packages below it contain series, exhibits and figures, and find runs.
package record

import (
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/system"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
)

// Schema names the format of result.json. SchemaVersion is its version; within a version, fields are only added.
const (
	Schema        = "plumbline.result"
	SchemaVersion = 1
)

// Note is part of every result except those driven by the unmodified official LoadGen.
const Note = "A run driven by this LoadGen is a rehearsal, not an official result."

// Document is the content of a result.json, either of one scenario or the index of an output directory.
type Document struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schema_version"`
	Note          string `json:"note"`
	ExitCode      int    `json:"exit_code"` // the most severe of all runs
	Outcome       string `json:"outcome"`   // the exit code in words
	// Suite is the name of the suite (or of the rounds) that made the runs in their own folders, if any. It may have made
	// a run several times.
	Suite string `json:"suite,omitempty"`
	// Commit is the commit of the measured project, in a file that collects results.
	Commit string `json:"commit,omitempty"`
	Runs   []Run  `json:"runs"`
	// Benchmarks contains all benchmarks of the round, if the suite was made from a round.
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
}

// Benchmark is a benchmark of a round of the rules, with its models.
type Benchmark struct {
	Name    string   `json:"name"`               // name in the round's tables: "3d-unet-99.9"
	Models  []string `json:"models,omitempty"`   // a model may belong to two benchmarks
	StandIn string   `json:"stand_in,omitempty"` // what replaces a model; the figures are then not those of a model
	Skipped string   `json:"skipped,omitempty"`  // the part of the benchmark that is not measured, and how to measure it
	Left    string   `json:"left,omitempty"`     // why the benchmark is not run
}

// Run is the complete record of one run: performance or accuracy of one model in one scenario.
type Run struct {
	// Identity distinguishes the run from others, if names were given.
	Identity Identity `json:"identity,omitzero"`
	// Place is the position of the logs in a folder of results, for a run known only by its logs.
	Place *Place `json:"place,omitempty"`
	Model string `json:"model"`
	// RulesKey and LoadGenKey are the model's names in the rules' tables ("resnet") and in configuration files
	// ("resnet50").
	RulesKey   string `json:"rules_key,omitempty"`
	LoadGenKey string `json:"loadgen_key,omitempty"`
	Scenario   string `json:"scenario"`
	Mode       string `json:"mode"`   // "performance", "accuracy", "findpeak", "ranging", "serving"
	Status     Status `json:"status"` // how the run ended
	// Verdict is the verdict's text. For a complete run it is "VALID" or "INVALID", with the profile unless it is the
	// official one, as in "VALID (smoke)", or an accuracy's "PASS", "BELOW TARGET", "ABOVE LIMIT" or "no target".
	// Otherwise it is "INTERRUPTED", "FAILED", "not run" or "UNFINISHED".
	Verdict  string   `json:"verdict"`
	ExitCode int      `json:"exit_code"`
	Error    *Failure `json:"error,omitempty"`
	Reasons  []Reason `json:"reasons"` // why the run is INVALID: one reason per rule

	Notes []Finding `json:"notes"` // findings that do not concern a rule
	// Estimates name the parts of the result that were not measured, and their source, one phrase each. They make the
	// run a rehearsal.
	Estimates []string `json:"estimates,omitempty"`

	// Profile names the source of the durations and counts: "official", "smoke", "custom", or "audit" if only audit
	// settings differ. Deviations lists the differences from the rules.
	Profile    string   `json:"profile"`
	Deviations []string `json:"deviations"`
	Rules      string   `json:"rules"`           // the round: "v6.1"
	Audit      string   `json:"audit,omitempty"` // the file of audit settings
	Test       string   `json:"test,omitempty"`  // the compliance test of the run: "TEST01"
	// TestVerdict is the test's verdict; empty if the run is not judged for it.
	TestVerdict TestVerdict `json:"test_verdict,omitempty"`
	Pace        string      `json:"pace"` // timing of Server queries: "default", or "precise" (spins until the due time)

	// Division is the rules' division of the run, as determined by the place and the machines of the work: "closed",
	// "network", "open". Empty: the run ended too early to tell. DivisionReasons explain a division other than the
	// requested one.
	Division        string   `json:"division,omitempty"`
	DivisionReasons []string `json:"division_reasons"`
	Network         *Network `json:"network,omitempty"` // for a run whose model is on other machines

	Started  time.Time `json:"started"`
	Duration float64   `json:"duration_s"` // duration of the timed series
	Took     string    `json:"took"`       // the same as text: "3.2 s"
	Dir      string    `json:"dir"`        // folder of the log files, relative to the output directory
	Files    []File    `json:"files"`
	Command  []string  `json:"command"`

	Performance *Performance `json:"performance,omitempty"`
	Accuracy    *Accuracy    `json:"accuracy,omitempty"`
	Serving     *Serving     `json:"serving,omitempty"` // for a server without a benchmark
	Power       *Power       `json:"power,omitempty"`   // for a timed run with a power meter
	// OtherPrograms is the activity of other programs during the run; absent: unknown to the system, or the time was too
	// short.
	OtherPrograms *OtherPrograms `json:"other_programs,omitempty"`
	Settings      []Setting      `json:"settings"`
	Effective     *Effective     `json:"effective_settings,omitempty"`
	Messages      []Message      `json:"messages"` // errors and warnings of the detail log

	// Tuning is the profile that set batch, sessions and threads of Options, except those set by flags.
	Tuning     string      `json:"tuning,omitempty"`
	TuningNote string      `json:"tuning_note,omitempty"` // the settings used of the profile, or why none
	Options    Options     `json:"options"`
	Workload   *Workload   `json:"workload,omitempty"`
	Plugin     Plugin      `json:"plugin"`
	System     system.Info `json:"system"`
	Harness    Harness     `json:"harness"`
	LoadGen    *LoadGen    `json:"loadgen,omitempty"` // the LoadGen that drove the run, unless it is the harness itself
	Stated     Stated      `json:"stated,omitzero"`
}

// Stated contains the user's statements about a run, which the harness cannot check.
type Stated struct {
	System    system.StatedProperties `json:"system,omitempty"`    // accelerator, driver, power mode, ...
	Note      string                  `json:"note,omitempty"`      //
	Precision string                  `json:"precision,omitempty"` // of a user's model
}

// Status describes how a run ended.
type Status string

// The statuses of a run.
const (
	Complete    Status = "complete"
	Interrupted Status = "interrupted" // by the user; logs are partial and marked
	Failed      Status = "failed"      // logs, if there are any, are partial and marked
	NotRun      Status = "not run"     // an earlier run ended the session, or the harness was killed before
	Unfinished  Status = "unfinished"  // in progress or killed, so logs may be partial and unmarked; or the logs were lost
)

// TestVerdict is the verdict of a compliance test.
type TestVerdict string

// The verdicts of compliance tests.
const (
	TestPassed    TestVerdict = "PASS"
	TestFailed    TestVerdict = "FAIL"
	TestNotJudged TestVerdict = "not judged" // the run was made, and its logs are still to be judged
)

// Failure is the cause of a run's early end.
type Failure struct {
	Class   string   `json:"class"` // the exit code in words
	Kind    string   `json:"kind,omitempty"`
	Message string   `json:"message"`
	Stderr  []string `json:"stderr,omitempty"` // last lines that the plugin wrote
}

// Reason describes a rule that a run did not meet.
type Reason struct {
	Rule     string `json:"rule"`
	Measured string `json:"measured"`
	Needed   string `json:"needed"`
	Hint     string `json:"hint"`
}

// Finding is a remark about a run that does not concern a rule.
type Finding struct {
	About string `json:"about"` // "hopeless", "issue_delay"
	Text  string `json:"text"`
}

// File is a file that the run wrote.
type File struct {
	Path   string `json:"path"` // relative to the output directory
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Figure is a published number: the exact value and the value rounded as the rules require (five significant figures,
// ties to even).
type Figure struct {
	Name    string        `json:"name"`             // title: "samples per second"
	Metric  string        `json:"metric,omitempty"` // name in conditions: "samples_per_second"
	Unit    string        `json:"unit"`
	Value   figure.Number `json:"value"`
	Rounded string        `json:"rounded"` // as published, with zeros at the end of the decimals
}

// Performance is the result of a timed run.
type Performance struct {
	Valid   bool           `json:"valid"`
	Metric  Figure         `json:"metric"`
	Figures []Figure       `json:"figures"` // the scenario's other headline numbers
	Checks  Checks         `json:"checks"`
	Queries uint64         `json:"queries"` // 0 if unknown, written as null in JSON: see Stated
	Samples uint64         `json:"samples"`
	Latency Latency        `json:"latency"`
	Query   *Latency       `json:"query_latency,omitempty"` // MultiStream
	Issue   *Latency       `json:"issue_delay,omitempty"`   // Server
	Early   *EarlyStopping `json:"early_stopping,omitempty"`
	Early99 *EarlyStopping `json:"early_stopping_99,omitempty"`
	Over    uint64         `json:"overlatency_count"`
	// Tokens contains the token measurements of a run with token latencies.
	Tokens    *Tokens    `json:"tokens,omitempty"`
	Intervals *Intervals `json:"intervals,omitempty"` // MultiStream at an arrival interval
	// Peak is set in mode findpeak of Server. The other fields then describe the run at the rate that was found.
	Peak *Peak `json:"peak,omitempty"`
	// Streams is set in mode findpeak of MultiStream. The other fields then describe the last run with the number that was
	// found.
	Streams *Streams `json:"streams,omitempty"`
}

// Checks are the four conditions of a VALID run.
type Checks struct {
	PerformanceConstraints bool `json:"performance_constraints"`
	MinDuration            bool `json:"min_duration"`
	MinQueries             bool `json:"min_queries"`
	// EarlyStopping is nil if it was not judged, as in the rounds v0.5 to v1.1.
	EarlyStopping *bool `json:"early_stopping,omitempty"`
}

// Latency describes a set of latencies, in nanoseconds.
type Latency struct {
	Count       int          `json:"count"`
	Min         int64        `json:"min_ns"`
	Max         int64        `json:"max_ns"`
	Mean        int64        `json:"mean_ns"`
	Percentiles []Percentile `json:"percentiles"`
}

// Percentile is one order statistic.
type Percentile struct {
	P  float64 `json:"p"` // 0 to 1
	NS int64   `json:"ns"`
}

// EarlyStopping is an early-stopping estimate.
type EarlyStopping struct {
	Met         bool    `json:"met"`
	Percentile  float64 `json:"percentile"`
	EstimateNS  int64   `json:"estimate_ns"`
	Processed   uint64  `json:"queries_processed"`
	Needed      uint64  `json:"queries_needed"`
	Overlatency uint64  `json:"overlatency"`
	Text        string  `json:"text"`
}

// Accuracy is the result of scoring an accuracy log.
type Accuracy struct {
	judge.Verdict
	Samples int `json:"samples"`
	// Scorer lists the models that the scorer ran; usually empty.
	Scorer       []Part   `json:"scorer_models,omitempty"`
	OfficialText string   `json:"official_text"`
	Notes        []string `json:"notes"`
	LogSHA256    string   `json:"log_sha256"`
}

// Setting is one of LoadGen's settings, with the source of its value and the value's text there.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Unit   string `json:"unit"`
	Origin string `json:"origin"`
}

// Effective contains the settings that the run used, with the names and units of the detail log.
type Effective struct {
	Scenario                string        `json:"scenario"`
	TestMode                string        `json:"test_mode"`
	SamplesPerQuery         uint64        `json:"samples_per_query"`
	TargetQPS               figure.Number `json:"target_qps"`
	TargetLatencyNS         int64         `json:"target_latency_ns"`
	TargetLatencyPercentile float64       `json:"target_latency_percentile"`
	MaxAsyncQueries         uint64        `json:"max_async_queries"`
	TargetDurationMS        int64         `json:"target_duration_ms"`
	MinDurationMS           int64         `json:"min_duration_ms"`
	MaxDurationMS           int64         `json:"max_duration_ms"`
	MinQueryCount           uint64        `json:"min_query_count"`
	MaxQueryCount           uint64        `json:"max_query_count"`
	MinSampleCount          uint64        `json:"min_sample_count"`
	QSLRNGSeed              uint64        `json:"qsl_rng_seed"`
	SampleIndexRNGSeed      uint64        `json:"sample_index_rng_seed"`
	ScheduleRNGSeed         uint64        `json:"schedule_rng_seed"`
	AccuracyLogRNGSeed      uint64        `json:"accuracy_log_rng_seed"`
	PerformanceSampleCount  uint64        `json:"performance_sample_count"`
	AccuracySampleCount     uint64        `json:"accuracy_sample_count"`
}

// Message is an error or warning of the detail log.
type Message struct {
	Key     string `json:"key"`
	Text    string `json:"text"`
	Warning bool   `json:"warning"`
}

// Options contains the options passed to the plugin. The plugin chooses values for empty options.
type Options struct {
	ModelFile      string            `json:"model_file"` // path; empty: the embedded file
	Precision      string            `json:"precision"`
	Dataset        string            `json:"dataset"` // path; empty: the plugin's own data
	Count          int               `json:"count"`
	Batch          int               `json:"batch"`
	Sessions       int               `json:"sessions"`
	Backend        string            `json:"backend"`
	BackendOptions map[string]string `json:"backend_options"`
	Params         map[string]string `json:"params"`
	Devices        []string          `json:"devices,omitempty"` // by the backend's names
	// PartFiles contains the paths of the files of a model with several parts, by part. ScorerFiles contains those of the
	// scorer's models.
	PartFiles   map[string]string `json:"part_files,omitempty"`
	ScorerFiles map[string]string `json:"scorer_files,omitempty"`
}

// Workload describes the opened workload.
type Workload struct {
	ModelFile string `json:"model_file"`
	Embedded  bool   `json:"embedded"`
	Precision string `json:"precision"`
	// ModelNote is the note in the plugin's manifest on how the file was made; empty for a user's file.
	ModelNote              string            `json:"model_note,omitempty"`
	ModelSHA256            string            `json:"model_sha256"`
	ModelSize              int64             `json:"model_size"`
	Dataset                string            `json:"dataset"`
	DatasetSize            int               `json:"dataset_size"`
	DatasetSHA256          string            `json:"dataset_sha256,omitempty"`
	DatasetNote            string            `json:"dataset_sha256_of,omitempty"`
	PerformanceSampleCount int               `json:"performance_sample_count"`
	Backend                string            `json:"backend"`
	BackendInfo            map[string]string `json:"backend_info"`
	Batch                  int               `json:"batch"`
	Sessions               int               `json:"sessions"`
	SUT                    string            `json:"sut_name"`
	QSL                    string            `json:"qsl_name"`
	// Shares lists the work of each of several devices or servers; empty for a single one.
	Shares []Share `json:"shares,omitempty"`
	// Parts lists the models of a workload with several. ModelSHA256 is then computed over their checksums, and ModelSize
	// is their sum.
	Parts []Part `json:"parts,omitempty"`
	// Batching describes how the plugin batched samples; absent for an older plugin.
	Batching *Batching `json:"batching,omitempty"`
}

// Batching describes how the plugin batched the run's samples, by its own clock.
type Batching struct {
	// Sizes counts the batches by number of samples, ascending. It is empty if a generator forms its own batches.
	Sizes []BatchSize `json:"sizes"`
	// Waiting describes the samples' times from their arrival at the plugin to the start of their batch; Model describes
	// the durations of the batches. Both are absent if samples do not wait for one another (SingleStream).
	Waiting *Latency `json:"waiting,omitempty"`
	Model   *Latency `json:"model,omitempty"`
}

// BatchSize is the number of batches with a given number of samples.
type BatchSize struct {
	Samples int    `json:"samples"`
	Batches uint64 `json:"batches"`
}

// Share is the work that one of several devices or servers did in the timed run, without the warm-up.
type Share struct {
	Name    string `json:"name"`
	Batches uint64 `json:"batches"`
	Samples uint64 `json:"samples"`
	// Fraction is the device's share of all samples, 0 to 1.
	Fraction float64 `json:"fraction"`
}

// Network describes the machines that ran the model.
type Network struct {
	Nodes []Node `json:"nodes"`
	// ClientWork lists the work of this machine within the timed run beyond sending samples and receiving answers.
	ClientWork []string `json:"client_work"`
}

// Node is a machine that ran the model. Fields other than Address are known only in runs of the network division.
type Node struct {
	Address string `json:"address"`        // as in the backend's options
	Name    string `json:"name,omitempty"` // name that the node reports
	Peer    string `json:"peer,omitempty"` // network address that answered
	// RoundTripP50 and RoundTripP99 are percentiles of the round-trip time of a small request, measured before the run.
	RoundTripP50   int64         `json:"round_trip_p50_ns,omitempty"`
	RoundTripP99   int64         `json:"round_trip_p99_ns,omitempty"`
	BytesPerSecond figure.Number `json:"bytes_per_second,omitempty"` // throughput from this machine to the node
}

// Plugin identifies the plugin that ran.
type Plugin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
}

// LoadGen identifies a LoadGen other than this program's own.
type LoadGen struct {
	Name    string `json:"name"` // "official"
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // checksum of its sources
	// Release is the known release whose sources have that checksum. If there is none, it is empty and Unmodified is
	// false.
	Release    string `json:"release,omitempty"`
	Unmodified bool   `json:"source_unmodified"`
	// Logged reports that only the run's log describes the LoadGen; its sources were not checked.
	Logged bool `json:"by_the_log,omitempty"`
}

// Harness identifies this program.
type Harness struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built with uncommitted changes
	Build    string `json:"build,omitempty"`    // for example "go1.26.8 linux/amd64, tags officialloadgen, with cgo"
}
