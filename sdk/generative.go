package sdk

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Generative is a Workload whose samples are prompts. The sdk passes each sample to a backend.Generator separately, and
// does not pass batches to sessions.
//
// A backend.GeneratorOpener provides its own generator. For any other backend the workload builds one from plain
// sessions (see SessionGenerator). A backend that offers neither cannot run the workload.
type Generative interface {
	// Prompt returns the prompt of a loaded sample, with the model's limits. It may share the sample's memory.
	Prompt(s Sample) (backend.Prompt, error)
	// AppendTokens appends the official payload of generated tokens to dst, and returns the number of tokens that
	// count. The sdk calls it for each answer, and for each answer's first token if its content is known, usually with
	// t.N of 1.
	AppendTokens(dst []byte, s Sample, t backend.Tokens) (payload []byte, tokens int, err error)
}

// AudioPrompter is an optional interface of a Generative workload whose prompts may be audio. If they are, opening the
// workload requires a generator that is a backend.AudioTaker.
type AudioPrompter interface {
	AudioPrompts() bool
}

// SamplingPrompter is an optional interface of a Generative workload whose prompts may have Sampling. If they do,
// opening the workload requires a generator that is a backend.SamplingTaker.
type SamplingPrompter interface {
	SamplingPrompts() bool
}

// PartsPrompter is an optional interface of a Generative workload whose prompts may have messages with Parts, such as
// pictures. If they do, opening the workload requires a generator that is a backend.PartsTaker.
type PartsPrompter interface {
	PartsPrompts() bool
}

// ToolsPrompter is an optional interface of a Generative workload whose prompts may have tools. If they do, opening the
// workload requires a generator that is a backend.ToolsTaker.
type ToolsPrompter interface {
	ToolsPrompts() bool
}

// SessionGenerator is an optional interface of a Generative workload. It makes a generator from sessions of its parts,
// for backends that run a model step by step without knowledge of tokens.
type SessionGenerator interface {
	// NewGenerator returns a generator that owns the sessions: its Close closes them. After an error the caller still
	// owns them. c is the configuration that opened them; c.MaxBatch is the number of sequences to decode together, 0
	// if the generator chooses.
	NewGenerator(sessions Sessions, c backend.Config) (backend.Generator, error)
}

// SessionPlanner is an optional interface of a SessionGenerator that knows how its generator uses a session best.
type SessionPlanner interface {
	// PlanSession completes the configuration of a session. c contains the user's settings, with zeros for settings that
	// the user did not make.
	PlanSession(s loadgen.Scenario, c backend.Config) backend.Config
}
