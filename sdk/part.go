package sdk

import "github.com/plumbline-ml/plumbline/sdk/backend"

// Part is one of a workload's models, for example the encoder of a translation. The sdk opens a session for each.
type Part struct {
	// Name is the part's name for users and in reports, such as "encoder": letters, digits, "-" and "_". It is empty
	// for a single part.
	Name  string
	Model backend.Model
	// RunsPerSample is the approximate number of runs per sample; 0: one. A part that runs for few of the samples (below
	// 1) is opened for correspondingly fewer concurrent runs.
	RunsPerSample float64
	// MaxBatch is the largest first dimension of the part's inputs; 0: the largest batch of samples.
	MaxBatch int
	// Optional reports that the part may be missing. It is omitted if its Model has neither Path nor Bytes.
	Optional bool
}

// LeftOut reports whether the part is optional and missing.
func (p Part) LeftOut() bool { return p.Optional && p.Model.Path == "" && p.Model.Bytes == nil }

// Sessions contains the open parts of a workload, by name. An omitted part has no session.
type Sessions map[string]backend.Session

// Part returns the session of a part, or nil if the part is omitted. Part("") returns the session of a workload with
// one part.
func (s Sessions) Part(name string) backend.Session { return s[name] }

// OnePart provides Parts and Close for a workload that embeds it, has one model, and has nothing to close.
type OnePart struct {
	Model backend.Model // with the tensors that the workload binds
}

// Parts returns one part, with the model.
func (p OnePart) Parts() []Part { return []Part{{Model: p.Model}} }

// Close does nothing.
func (OnePart) Close() error { return nil }
