package manifest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// Request is a run, or the scoring of its log, as the author of a benchmark sees it: the manifest's entry, the file and
// the parameters that the user's options come to. It collects faults, so that all are reported at once:
//
//	func open(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
//		var b binding
//		r.Bind(&b, option.WordReader("answer", answers))
//		set, err := openPictures(r)
//		r.AddFault(err)
//		return newWorkload(b, r.File(), set), nil
//	}
//
// Faults that are there when the author's function returns no error are the error; what it returned is closed then.
type Request struct {
	Model *ModelEntry
	// Params are the values of all parameters: the user's over the defaults of the file, or of the data set to score.
	Params *option.Params
	// Files are the model files, by the part of the workload that they belong to, whose name is empty where there is one.
	// They lack the tensors, which the benchmark adds. An optional part that is missing has none. To score they are those
	// of the models that the scorer runs.
	Files map[string]backend.Model
	// OpenPart opens one of them to score, as sdk.ScoreOptions has it; nil in a run, and outside of a plugin.
	OpenPart func(ctx context.Context, p sdk.Part) (backend.Session, error)

	Embedded bool // the file is an embedded one; to score: it gave the answers
	Scoring  bool // an accuracy log is scored: labels are enough
	// Verifying says that the data set is looked at alone: what a score needs of it has to be there, too, as it has not to
	// be for a run.
	Verifying bool

	Memory string   // to score: as sdk.ScoreOptions has it
	Show   []uint64 // the same
	// Exhibits is at most how many samples to show, as sdk.ScoreOptions has it: package sdk/exhibit chooses and draws
	// them.
	Exhibits int

	Scenario loadgen.Scenario // of a run
	Backend  string           // of a run: its registered name; empty: outside of a plugin

	Dataset string // path; empty: the embedded data set
	Use     string // what it is opened for, as sdk.Options has it; to score: what the log is of
	Count   int    // of the first samples; 0: all
	Batch   int    // the largest batch that the user wants; 0: the benchmark's choice

	atMost   bool // Count may be more than there are
	manifest *Manifest
	given    map[string]string
	faults   []error
}

// runRequest makes the request of a run. It fails for a model that is not in the manifest; all else is a fault of the
// request.
func (m *Manifest) runRequest(o sdk.Options) (*Request, error) {
	e, err := m.Model(o.Model)
	if err != nil {
		return nil, err
	}
	r := &Request{Model: e, Scenario: o.Scenario, Backend: o.Backend, Dataset: o.Dataset, Use: o.Use, Batch: o.Batch,
		manifest: m, given: o.Params}
	files, err := m.openFiles(e, o)
	r.AddFault(err)
	r.Files, r.Embedded = files.models, files.embedded
	r.fillParams(m, files.defaults, o.Count)
	r.atMost = o.CountAtMost
	return r, nil
}

// scoreRequest makes the request of a scorer. It has the defaults that the run had: those of the embedded model, which
// alone knows the embedded data set, where that one answered.
func (m *Manifest) scoreRequest(o sdk.ScoreOptions) (*Request, error) {
	e, err := m.Model(o.Model)
	if err != nil {
		return nil, err
	}
	r := &Request{Model: e, Scoring: true, Dataset: o.Dataset, Use: cmp.Or(o.Use, sdk.UseAccuracy), OpenPart: o.OpenPart,
		Memory: o.Memory, Show: o.Show, Exhibits: o.Exhibits, Embedded: o.Embedded, manifest: m, given: o.Params}
	r.Files, err = m.scorerFiles(e, o.PartFiles)
	r.AddFault(err)
	defaults := e.Defaults
	if o.Dataset == "" || o.Embedded {
		defaults = m.embeddedDefaults(e)
	}
	r.fillParams(m, defaults, o.Count)
	r.atMost = o.CountAtMost
	return r, nil
}

func (r *Request) fillParams(m *Manifest, defaults map[string]string, count int) {
	r.AddFault(m.checkParams(r.given))
	r.Params = option.NewParams(mergeValues(defaults, r.given))
	if count < 0 {
		r.AddFault(sdk.Usage(fmt.Errorf("count = %d, want 0 (all) or more", count)))
	}
	r.Count = max(count, 0)
}

// File is the file of a workload that has one part.
func (r *Request) File() backend.Model { return r.Files[""] }

// GivenValue is what the user said of a parameter; empty: nothing, or nothing in so many words.
func (r *Request) GivenValue(name string) string { return r.given[name] }

// Embedded is the value of a parameter that stands for what is inside the plugin.
const Embedded = "embedded"

// DefaultsOf takes the defaults of the files that a parameter belongs to, such as a tokenizer: those of the embedded
// ones where the user says Embedded, and of the model's official ones where the user says anything else, whichever
// file this is: another machine may run the model. Where the user says nothing, they stay as they are. What was read of
// Params before is not read again.
func (r *Request) DefaultsOf(param string) {
	defaults := r.Model.Defaults
	switch r.given[param] {
	case "":
		return
	case Embedded:
		defaults = r.manifest.embeddedDefaults(r.Model)
	}
	r.AddFault(sdk.Usage(r.Params.Err()))
	r.Params = option.NewParams(mergeValues(defaults, r.given))
}

// SampleCount is how many of the size samples of the data set are meant: Count, or all. More than there are is a fault,
// which calls them what: "pictures"; where Count is the most that is wanted, all are meant then.
func (r *Request) SampleCount(size int, what string) int {
	if r.Count > size && !r.atMost {
		r.AddFault(sdk.Usage(fmt.Errorf("count = %d, want at most the %d %s of the data set", r.Count, size, what)))
	}
	if r.Count == 0 {
		return size
	}
	return min(r.Count, size)
}

// OpenDataset opens the data set of a request: drawn is the embedded one, and open opens that at a path. Its error is a
// fault, of class sdk.ErrData, and ok is false.
func OpenDataset[T any](r *Request, drawn func() T, open func(path string) (T, error)) (set T, ok bool) {
	if r.Dataset == "" {
		return drawn(), true
	}
	set, err := open(r.Dataset)
	r.AddFault(sdk.Data(err))
	return set, err == nil
}

// AddFault adds a fault, of class sdk.ErrUsage or sdk.ErrData as a rule, unless err is nil.
func (r *Request) AddFault(err error) {
	if err != nil {
		r.faults = append(r.faults, err)
	}
}

// Err joins all faults, those of the parameters that were read among them.
func (r *Request) Err() error {
	return errors.Join(errors.Join(r.faults...), sdk.Usage(r.Params.Err()))
}

// Values are the values of all parameters of a model (empty: the first), with those given over the defaults: of the
// embedded files, or of the official ones. The caller owns the map.
func (m *Manifest) Values(model string, embedded bool, given map[string]string) (map[string]string, error) {
	e, err := m.Model(model)
	if err != nil {
		return nil, err
	}
	if embedded {
		return mergeValues(m.embeddedDefaults(e), given), nil
	}
	return mergeValues(e.Defaults, given), nil
}

// mergeValues returns a copy of defaults with the values given over them.
func mergeValues(defaults, given map[string]string) map[string]string {
	v := make(map[string]string, len(defaults))
	maps.Copy(v, defaults)
	maps.Copy(v, given)
	return v
}
