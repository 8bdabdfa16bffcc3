package sdk

import "github.com/plumbline-ml/plumbline/sdk/backend"

// Part is one of a workload's models: the encoder of a translation, say. The sdk opens a session for each.
type Part struct {
	// Name is what users and reports call it, "encoder": letters, digits, "-" and "_". Empty where there is one part
	// alone.
	Name  string
	Model backend.Model
	// RunsPerSample is about how often a sample goes through it; 0: once. A part that runs for few of the samples, below
	// 1, is opened for as few runs at a time.
	RunsPerSample float64
	// MaxBatch is the largest first dimension that it is given; 0: the largest batch of samples.
	MaxBatch int
	// Optional says that it may be missing: it is left out where its Model has neither Path nor Bytes.
	Optional bool
}

// LeftOut says whether the part is optional and missing.
func (p Part) LeftOut() bool { return p.Optional && p.Model.Path == "" && p.Model.Bytes == nil }

// Sessions are the opened parts of a workload, by their names. A part that is left out has none.
type Sessions map[string]backend.Session

// Part is the session of a part, nil where it is left out; Part("") is that of a workload of one part.
func (s Sessions) Part(name string) backend.Session { return s[name] }

// OnePart is embedded in a workload of one model with nothing to close: it has these two methods.
type OnePart struct {
	Model backend.Model // with the tensors that the workload binds
}

// Parts is that of the model.
func (p OnePart) Parts() []Part { return []Part{{Model: p.Model}} }

// Close does nothing.
func (OnePart) Close() error { return nil }
