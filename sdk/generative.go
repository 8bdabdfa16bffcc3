package sdk

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Generative is a Workload whose samples are prompts. The sdk hands each sample to a backend.Generator by itself,
// instead of batches to sessions.
//
// The generator is the backend's own where that is a backend.GeneratorOpener, else what the workload makes of a plain
// session (see SessionGenerator). A backend that offers neither cannot run the workload.
type Generative interface {
	// Prompt is the prompt of a loaded sample, with the model's limits. It may share the sample's memory.
	Prompt(s Sample) (backend.Prompt, error)
	// AppendTokens appends the official payload of generated tokens to dst, and says how many tokens count. It is called
	// for each answer; and for the first token of each, where something of it is known, with t.N of 1 as a rule.
	AppendTokens(dst []byte, s Sample, t backend.Tokens) (payload []byte, tokens int, err error)
}

// AudioPrompter is an optional interface of a Generative workload whose prompts may be audio. Where they are, a
// generator that is no backend.AudioTaker is refused when the workload is opened.
type AudioPrompter interface {
	AudioPrompts() bool
}

// SamplingPrompter is an optional interface of a Generative workload whose prompts may have Sampling. Where they do, a
// generator that is no backend.SamplingTaker is refused when the workload is opened.
type SamplingPrompter interface {
	SamplingPrompts() bool
}

// PartsPrompter is an optional interface of a Generative workload whose prompts may have messages of parts, pictures
// among them. Where they do, a generator that is no backend.PartsTaker is refused when the workload is opened.
type PartsPrompter interface {
	PartsPrompts() bool
}

// ToolsPrompter is an optional interface of a Generative workload whose prompts may have tools. Where they do, a
// generator that is no backend.ToolsTaker is refused when the workload is opened.
type ToolsPrompter interface {
	ToolsPrompts() bool
}

// SessionGenerator is an optional interface of a Generative workload: it turns sessions of its parts into a generator,
// for backends that run a model step by step and know nothing of tokens.
type SessionGenerator interface {
	// NewGenerator returns a generator on the sessions, which it owns from now on: the generator's Close closes them. With
	// an error they stay the caller's. c is how they were opened: c.MaxBatch is how many sequences the user wants decoded
	// together, 0 where the generator chooses.
	NewGenerator(sessions Sessions, c backend.Config) (backend.Generator, error)
}

// SessionPlanner is an optional interface of a SessionGenerator that knows how its generator uses a session best.
type SessionPlanner interface {
	// PlanSession completes how the session is opened: c holds what the user asked for, with zeros where nothing.
	PlanSession(s loadgen.Scenario, c backend.Config) backend.Config
}
