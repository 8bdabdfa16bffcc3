// Package backend is the contract between a benchmark and the backend that runs its model. It depends on neither gRPC
// nor a library.
//
// A vendor implements [Backend] and [Session], and combines the backend with a benchmark by serve.Backend(name, b).
package backend

import "context"

// Backend opens models.
type Backend interface {
	// Open loads m. Its error lists all faults: an unknown option, a file that is not a model, a missing tensor, or a
	// tensor whose dtype or shape differs from m (see Bind).
	Open(ctx context.Context, m Model, c Config) (Session, error)
}

// Describer is an optional interface of a Backend and of a Session. A Backend describes its library's version, its
// devices and its options. A Session describes the devices, threads and provider that it uses.
type Describer interface {
	Describe() Info
}

// Info describes a backend without a loaded model, or the resources that a session runs on.
type Info struct {
	Version string   // of the runtime: "ONNX Runtime 1.28.2"
	Devices []string // of a DeviceChooser: the valid names for Config.Device; of a session: its devices
	Options []Option
	Details map[string]string // library path, build info
	// Shares is the work that each of a session's devices or servers has done so far; empty for a single one.
	Shares []WorkShare
}

// WorkShare is the work done by one of several devices or servers.
type WorkShare struct {
	Name    string // the device, or the server's address
	Batches uint64 // runs; of a Generator: prompts
	Samples uint64
}

// DeviceChooser is an optional interface of a Backend that runs on Config.Device. The sdk passes devices only to such
// backends.
type DeviceChooser interface {
	// CheckDevices returns an error if one model cannot run on all of these devices at the same time: an unknown name,
	// two names of one device, or a contradicting option. It opens nothing; Open reports a missing device. Errors have
	// ErrOption in their chain.
	CheckDevices(devices []string, options map[string]string) error
}

// Option documents one key of Config.Options.
type Option struct{ Name, Default, Help string }

// Model is the model to load, as a path or bytes. A model with external data, or over 2 GB, needs the path.
type Model struct {
	Name  string // for messages
	Path  string
	Bytes []byte // used where Path is empty; must not change while a session is open
	// Inputs and Outputs are the tensors that the workload binds, in the order in which Session.Run gets them.
	// A dimension of -1 matches any. Empty names match by position; an empty Outputs means all outputs of the model.
	Inputs, Outputs []TensorInfo
}

// Config determines how to run a model.
type Config struct {
	// Concurrency is the number of concurrent Run calls that the caller makes; 0: Limits().Concurrency.
	Concurrency int
	// LowLatency requests all threads for one Run (SingleStream) instead of one thread for each (throughput).
	LowLatency bool
	// MaxBatch is the largest first dimension that the caller will use; 0: not known.
	MaxBatch int
	Options  map[string]string // unknown keys are an error
	// ModelName is the harness's name of the model ("resnet50"). A server probably uses the same name. Empty: unknown.
	ModelName string
	// Device is the device to run on, for a DeviceChooser: one of its documented names. Empty: the backend chooses.
	Device string
	// Part is the name of this model among the workload's models, such as "encoder"; empty for a single model.
	Part string
	// Siblings contains the open sessions of the workload's other parts on this device. The backend may let the model join
	// one of them, for example in its process, so that they accept each other's kept tensors (OutputCache). It does not
	// close them.
	Siblings []Session
}

// Session is a loaded model. Up to Limits().Concurrency goroutines may call Run at a time.
type Session interface {
	// Inputs and Outputs return the model's tensors in the order of Model.Inputs and Model.Outputs.
	Inputs() []TensorInfo
	Outputs() []TensorInfo
	Limits() Limits
	// Run executes one batch. in and out follow Inputs and Outputs. The session fills in an out tensor without Data and
	// owns its memory; the caller releases it with Release. An out tensor with Data must have room for the result. Neither
	// side uses in or out after the call.
	Run(ctx context.Context, in []Tensor, out []Tensor) error
	Close() error
}

// Limits contains a session's preferences, and facts about its runs that the sdk needs. Zero means no preference and no
// limit.
type Limits struct {
	Concurrency    int // useful number of concurrent Run calls
	PreferredBatch int
	MaxBatch       int
	// Native reports that Run computes in non-Go code on the calling thread, or waits there for a device. The sdk then
	// adds one processor for the plugin's goroutines per concurrent run. If one goroutine does everything (SingleStream),
	// it uses one processor in total. In Server it limits each batch to its share of the queue.
	Native bool
}

// TensorInfo describes a model's input or output.
type TensorInfo struct {
	Name  string
	DType DType
	Shape []int64 // -1: free
	// Aliases contains the tensor's other names in files of the same model, for Bind. A model has only one of these names.
	Aliases []string
	// Also lists further element types that a benchmark accepts, for Bind.
	Also []DType
	// TrailingOnes lets Bind accept further dimensions of 1 after those of Shape.
	TrailingOnes bool
	// Chosen is the text in Bind's errors that explains how to choose another tensor: "--param output=NAME".
	Chosen string
}
