// Package backend is the contract between a benchmark and the backend that runs its model. It depends on neither gRPC
// nor a library.
//
// A vendor implements [Backend] and [Session], and combines the backend with a benchmark by serve.Backend(name, b).
package backend

import "context"

// Backend opens models.
type Backend interface {
	// Open loads m. It fails with every fault it can name: an option it does not know, a file that is not a model, a
	// tensor that is missing or has another dtype or shape than m asks for (see Bind).
	Open(ctx context.Context, m Model, c Config) (Session, error)
}

// Describer is an optional interface of a Backend (its library's version, its devices, its options) and of a Session
// (the same for what it uses: threads, provider).
type Describer interface {
	Describe() Info
}

// Info is what a backend says of itself without loading a model, or a session of what it runs on.
type Info struct {
	Version string   // of the runtime: "ONNX Runtime 1.28.2"
	Devices []string // of a DeviceChooser: those that Config.Device can name; of a session: what it runs on
	Options []Option
	Details map[string]string // library path, build info
	// Shares is what each of a session's devices or servers has done so far; empty where there is one alone.
	Shares []WorkShare
}

// WorkShare is the part of the work that one of several devices or servers did.
type WorkShare struct {
	Name    string // the device, or the server's address
	Batches uint64 // runs; of a Generator: prompts
	Samples uint64
}

// DeviceChooser is an optional interface of a Backend that runs where Config.Device says. The sdk hands devices to no
// other backend.
type DeviceChooser interface {
	// CheckDevices says what is wrong with running one model on all of these devices at the same time: a name that it
	// does not understand, two names of one device, an option that says otherwise. It opens nothing; a device that turns
	// out to be missing is an error of Open. Errors have ErrOption in their chain.
	CheckDevices(devices []string, options map[string]string) error
}

// Option documents one key of Config.Options.
type Option struct{ Name, Default, Help string }

// Model is what to load: a path or bytes. A model with external data, or over 2 GB, needs the path.
type Model struct {
	Name  string // for messages
	Path  string
	Bytes []byte // used where Path is empty; must not change while a session is open
	// Inputs and Outputs are the tensors that the workload binds, in the order in which Session.Run gets them.
	// A dimension of -1 matches any. Empty names match by position; an empty Outputs means all outputs of the model.
	Inputs, Outputs []TensorInfo
}

// Config says how to run it.
type Config struct {
	// Concurrency is how many Run calls the caller makes at a time; 0: as many as Limits().Concurrency says.
	Concurrency int
	// LowLatency asks for all threads on one Run (SingleStream) instead of one thread each (throughput).
	LowLatency bool
	// MaxBatch is the largest first dimension the caller will use; 0: not known.
	MaxBatch int
	Options  map[string]string // unknown keys are an error
	// ModelName is what the harness calls the model ("resnet50"): its likeliest name at a server. Empty: not known.
	ModelName string
	// Device is what to run on, for a DeviceChooser: one of the names it documents. Empty: the backend's choice.
	Device string
	// Part is which of the workload's models this is, "encoder"; empty where it has one.
	Part string
	// Beside are the sessions of the workload's other parts that are open on this device already. The backend may have the
	// model join one of them, in its process say, so that they take each other's kept tensors (OutputCache). It closes
	// none.
	Siblings []Session
}

// Session is a loaded model. Run may be called from as many goroutines at a time as Limits().Concurrency says.
type Session interface {
	// Inputs and Outputs are what the model has, in the order of Model.Inputs and Model.Outputs.
	Inputs() []TensorInfo
	Outputs() []TensorInfo
	Limits() Limits
	// Run executes one batch. in and out follow Inputs and Outputs. An out tensor without Data is filled in by the
	// session, which then owns its memory until the caller calls Release; one with Data must have room for the result.
	// Neither side keeps in or out after the call.
	Run(ctx context.Context, in []Tensor, out []Tensor) error
	Close() error
}

// Limits are a session's preferences, and what the sdk must know of its runs. Zero means no preference and no limit.
type Limits struct {
	Concurrency    int // Run calls at a time that are worth making
	PreferredBatch int
	MaxBatch       int
	// Native says that Run computes on the calling thread in code that is not Go's, or waits there for a device: the sdk
	// gives the plugin's goroutines as many processors more as there are runs at a time, one in all where one goroutine
	// does everything (SingleStream), and in Server each batch at most its share of what is queued.
	Native bool
}

// TensorInfo describes a model's input or output.
type TensorInfo struct {
	Name  string
	DType DType
	Shape []int64 // -1: free
	// Aliases are further names, for Bind, that files of the same model give the tensor; a model has one of them.
	Aliases []string
	// Also are further element types that a benchmark takes, for Bind.
	Also []DType
	// TrailingOnes says that a benchmark takes further dimensions of 1 behind those of Shape, for Bind.
	TrailingOnes bool
	// Chosen says how a user chooses another tensor, for the errors of Bind: "--param output=NAME".
	Chosen string
}
