package backend

import (
	"context"
	"encoding/json"
)

// Generator continues prompts token by token. It owns its batching and its KV cache: calls that run at the same time
// share what it can share. Nothing of a prompt may outlive its call: a cache of prefixes or of results across calls is
// against the rules of the benchmarks.
type Generator interface {
	// Generate continues one prompt and returns when the answer is complete. It may be called from many goroutines at a
	// time; more calls than Limits().Concurrency wait inside, in the order in which they came.
	//
	// It calls sink.FirstToken at most once and then, if it returns nil, has called sink.Complete exactly once; after an
	// error, Complete was not called. Where ctx ends it gives up and returns the cause. It keeps neither p nor sink after
	// the call. An error ends the run: what can be mended by another try (where nothing was received yet) is tried
	// again inside.
	Generate(ctx context.Context, p Prompt, sink TokenSink) error
	// Limits says how many calls at a time are worth making (Concurrency; 0: the generator has no preference) and how many
	// sequences are decoded together (MaxBatch; 0: as many as there are calls).
	Limits() Limits
	// Close frees what the generator owns. No Generate may be under way.
	Close() error
}

// GeneratorOpener is an optional interface of a Backend that generates by itself: a server, a library with a decoding
// loop of its own.
type GeneratorOpener interface {
	// OpenGenerator loads m, or connects to the server that has it. c.Concurrency is how many Generate calls the caller
	// will make at a time, 0 where the generator chooses; c.MaxBatch how many sequences to decode together, 0 likewise.
	// It fails with every fault it can name.
	OpenGenerator(ctx context.Context, m Model, c Config) (Generator, error)
}

// AudioTaker is an optional interface of a Generator: whether it takes prompts of audio. One without it takes none.
type AudioTaker interface {
	TakesAudio() bool
}

// Prompt is what to continue, and how. A backend uses the most specific form that it takes and the prompt has: Audio,
// Tokens, then Messages, then Text. It fails where it takes none of those that are there. Slices stay the caller's and
// must not change during the call.
//
// A prompt with Parts, Tools, ChatJSON or Fields is a chat. Parts and Tools go to a PartsTaker and a ToolsTaker alone;
// ChatJSON and Fields are for backends that send a chat as JSON, and say nothing that the other fields do not say.
//
// Without Sampling and beams the most probable token is taken at each step.
type Prompt struct {
	Tokens   []int32       // ids of the model's vocabulary, special tokens included
	Text     string        // the whole prompt as text
	Messages []ChatMessage // a chat, for models and servers that apply a template of their own
	Audio    []float32     // speech to transcribe: 16 kHz, one channel, from -1 to 1

	MaxNewTokens int     // at most this many tokens are generated, above 0
	MinNewTokens int     // no token of EOS before this many
	EOS          []int32 // any of these ends the answer; empty: the model's own
	PadToken     int32   // fills unequal sequences where the model needs it

	Beams         int     // beam search over this many; 0 and 1: greedy
	LengthPenalty float64 // of beam search: the exponent of the length that a sum of log probabilities is divided by
	EarlyStopping bool    // of beam search: stop when Beams sequences are complete, instead of when none can be better

	// Sampling draws tokens; nil: none is drawn. Only a SamplingTaker gets prompts with it. It goes with no beam search.
	Sampling *Sampling

	// Tools are what a chat may call: a JSON list in the form in which the API of chats has them; nil: none. ToolChoice is
	// "auto", "none", "required"; empty: not said.
	Tools      json.RawMessage
	ToolChoice string
	// Session is the conversation that the prompt is a turn of, whose turns are asked one after the other: what a server
	// keeps of one serves the next, and no other conversation. Empty: it stands alone.
	Session string

	// ChatJSON is what AppendChat makes of the prompt, written before it is asked. A backend that sends JSON sends it as
	// it is.
	ChatJSON []byte
	// Fields are all fields of a request to a server but model, messages, tools and tool_choice, where the benchmark says
	// them to the last one, stream among them; nil: the backend's own. What they leave out is left to the server, and
	// MaxNewTokens may be 0: no limit is known.
	Fields map[string]json.RawMessage
}

// Tokens is what is known of generated tokens: ids, text, or their number alone.
type Tokens struct {
	IDs  []int32 // nil where the backend reports text only
	Text string  // empty where the backend reports ids only
	// Reasoning is what was thought before Text, and Calls what was called, where the backend tells them from Text: of a
	// complete answer alone, as is Finish, why the answer ended: "stop", "length", "tool_calls"; empty: not said.
	Reasoning string
	Calls     []ToolCall
	Finish    string
	// N is how many tokens there are, as the model or its server counts them; never guessed from chunks of text. Of a
	// complete answer it may be Uncounted.
	N int
}

// Uncounted is the number of tokens of an answer of which only the text is known: its server counts none. A workload
// with a tokenizer may count them in the text, and says so (sdk.Noter); for any other it is an error.
const Uncounted = -1

// TokenSink takes what one Generate call produces, from any goroutine, one call at a time. Tokens and what they refer
// to stay the caller's: a sink copies what it keeps. A sink does not block for longer than a queue is full.
type TokenSink interface {
	// FirstToken says that the first token has come, at the time of the call. It comes before Complete. Where the first
	// thing received holds several tokens, t is all of them; where nothing is known but its arrival, t is empty.
	FirstToken(t Tokens)
	// Complete says that the answer is complete: all generated tokens, the first included, the prompt not. Whether an end
	// token is among the ids is up to the backend, which documents it; a workload cuts at the end token.
	Complete(t Tokens)
}
