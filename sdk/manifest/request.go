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

// Request is a run, or the scoring of its log, for the author of a benchmark. It contains the manifest's entry, and the
// file and the parameters that result from the user's options. It collects faults, so all are reported together:
//
//	func open(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
//		var b binding
//		r.Bind(&b, option.WordReader("answer", answers))
//		set, err := openPictures(r)
//		r.AddFault(err)
//		return newWorkload(b, r.File(), set), nil
//	}
//
// If faults remain when the author's function returns no error, they become the error, and the function's result is
// closed.
type Request struct {
	Model *ModelEntry
	// Params contains the values of all parameters: the user's values and otherwise the defaults of the file or of the
	// data set to score.
	Params *option.Params
	// Files contains the model files by part of the workload. A single part has an empty name. The benchmark adds the
	// tensors. A missing optional part has no file. For scoring, it contains the files of the scorer's models.
	Files map[string]backend.Model
	// OpenPart opens one of the scorer's models (see sdk.ScoreOptions); nil in a run, and outside a plugin.
	OpenPart func(ctx context.Context, p sdk.Part) (backend.Session, error)

	Embedded bool // the file is an embedded one; for scoring: the answers came from it
	Scoring  bool // an accuracy log is scored, so only labels are needed
	// Verifying reports that the data set is only checked. It must then also contain the data that scoring needs. A run
	// does not require these.
	Verifying bool

	Memory string   // for scoring: see sdk.ScoreOptions
	Show   []uint64 // for scoring: see sdk.ScoreOptions
	// Exhibits is the maximum number of samples to show (see sdk.ScoreOptions). Package sdk/exhibit chooses and draws
	// them.
	Exhibits int

	Scenario loadgen.Scenario // of a run
	Backend  string           // of a run: its registered name; empty: outside a plugin

	Dataset string // path; empty: the embedded data set
	Use     string // purpose of the data set: see sdk.Options; for scoring: purpose of the log
	Count   int    // number of samples from the first on; 0: all
	Batch   int    // the largest batch that the user requests; 0: the benchmark's choice

	countAtMost bool // Count may be larger than the data set
	manifest    *Manifest
	given       map[string]string
	faults      []error
}

// runRequest makes the request of a run. It returns an error only for an unknown model; other problems become faults of
// the request.
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
	r.countAtMost = o.CountAtMost
	return r, nil
}

// scoreRequest makes the request of a scorer. It has the same defaults as the run. If the embedded model answered, they
// are those of the embedded model, which is the only one with the embedded data set.
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
	r.countAtMost = o.CountAtMost
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

// File returns the file of a workload with one part.
func (r *Request) File() backend.Model { return r.Files[""] }

// GivenValue returns the user's value of a parameter, or "" if it is not set.
func (r *Request) GivenValue(name string) string { return r.given[name] }

// IsGiven reports whether the user has set a parameter, possibly to an empty value.
func (r *Request) IsGiven(name string) bool {
	_, ok := r.given[name]
	return ok
}

// ChooseParam sets a parameter to a value that follows from the model file. It returns false and changes nothing if the
// user has set the parameter, or if it has this value. It does not affect values that were read before.
func (r *Request) ChooseParam(name, value string) bool {
	if r.IsGiven(name) || r.Params.Text(name) == value {
		return false
	}
	r.Params.SetText(name, value)
	return true
}

// Embedded is the parameter value that selects the version inside the plugin.
const Embedded = "embedded"

// DefaultsOf selects the defaults of the files to which a parameter, such as a tokenizer, belongs: those of the
// embedded files if the user's value is Embedded, and those of the model's official files for any other value. They do
// not depend on the run's model file, because another machine may run the model. Without a user's value it changes
// nothing. It does not affect values that were read before.
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

// SampleCount returns how many of the data set's size samples to use: Count, or all. A Count above size is a fault,
// whose text uses the noun what ("pictures"). With CountAtMost, all samples are used instead.
func (r *Request) SampleCount(size int, what string) int {
	if r.Count > size && !r.countAtMost {
		r.AddFault(sdk.Usage(fmt.Errorf("count = %d, want at most the %d %s of the data set", r.Count, size, what)))
	}
	if r.Count == 0 {
		return size
	}
	return min(r.Count, size)
}

// OpenDataset opens the data set of a request: drawn returns the embedded one, and open opens the one at a path. An
// error becomes a fault of class sdk.ErrData, and ok is false.
func OpenDataset[T any](r *Request, drawn func() T, open func(path string) (T, error)) (set T, ok bool) {
	if r.Dataset == "" {
		return drawn(), true
	}
	set, err := open(r.Dataset)
	r.AddFault(sdk.Data(err))
	return set, err == nil
}

// AddFault adds a fault, usually of class sdk.ErrUsage or sdk.ErrData, unless err is nil.
func (r *Request) AddFault(err error) {
	if err != nil {
		r.faults = append(r.faults, err)
	}
}

// Err joins all faults, including those of the parameters read so far.
func (r *Request) Err() error {
	return errors.Join(errors.Join(r.faults...), sdk.Usage(r.Params.Err()))
}

// Values returns the values of all parameters of a model (empty: the first). Given values override the defaults of the
// embedded or the official files. The caller owns the map.
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

// mergeValues returns a copy of defaults with the given values on top.
func mergeValues(defaults, given map[string]string) map[string]string {
	v := make(map[string]string, len(defaults))
	maps.Copy(v, defaults)
	maps.Copy(v, given)
	return v
}
