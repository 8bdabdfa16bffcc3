package backend

import (
	"context"
	"encoding/json"
)

// Generator continues prompts token by token. It manages its batching and its KV cache, and concurrent calls may share
// resources. No data of a prompt may outlive its call, because the benchmarks' rules forbid caches of prefixes or
// results across calls.
type Generator interface {
	// Generate continues one prompt and returns when the answer is complete. It may be called from many goroutines at a
	// time; calls beyond Limits().Concurrency wait inside, in order of arrival.
	//
	// It calls sink.FirstToken once or not at all. If it returns nil, it has then called sink.Complete exactly once. If it
	// returns an error, it has not called Complete. When ctx ends, it stops and returns the cause. It uses neither p nor
	// sink after the call. An error ends the run, so Generate itself must repeat attempts that can succeed (provided that
	// nothing was received yet).
	Generate(ctx context.Context, p Prompt, sink TokenSink) error
	// Limits returns the useful number of concurrent calls (Concurrency; 0: no preference) and the number of sequences
	// decoded together (MaxBatch; 0: the number of calls).
	Limits() Limits
	// Close frees the generator's resources. No Generate may be in progress.
	Close() error
}

// GeneratorOpener is an optional interface of a Backend with its own decoding loop, such as a server or a generation
// library.
type GeneratorOpener interface {
	// OpenGenerator loads m, or connects to the server that runs it. c.Concurrency is the number of concurrent Generate
	// calls, and c.MaxBatch the number of sequences to decode together; 0 lets the generator choose. Its error lists
	// every fault found.
	OpenGenerator(ctx context.Context, m Model, c Config) (Generator, error)
}

// AudioTaker is an optional interface of a Generator that reports whether it accepts audio prompts. A Generator without
// it does not.
type AudioTaker interface {
	TakesAudio() bool
}

// Prompt is the input to continue, with limits and settings. A backend uses the first form that it supports and the
// prompt contains: Audio, Tokens, Messages, Text. It fails if it supports none of the prompt's forms. The caller owns
// the slices and must not change them during the call.
//
// A prompt with Parts, Tools, ChatJSON or Fields is a chat. Only a PartsTaker receives Parts, and only a ToolsTaker
// receives Tools. ChatJSON and Fields are for backends that send a chat as JSON, and add nothing to the other fields.
//
// Without Sampling and beams, each step selects the most probable token.
type Prompt struct {
	Tokens   []int32       // ids in the model's vocabulary, including special tokens
	Text     string        // the whole prompt as text
	Messages []ChatMessage // a chat, for models and servers that apply their own template
	Audio    []float32     // speech to transcribe: 16 kHz, one channel, from -1 to 1

	MaxNewTokens int     // maximum number of generated tokens, above 0
	MinNewTokens int     // minimum number of tokens before a token of EOS
	EOS          []int32 // each of these tokens ends the answer; empty: the model's own
	PadToken     int32   // fills shorter sequences if the model needs it

	Beams         int     // number of beams of a beam search; 0 and 1: greedy
	LengthPenalty float64 // beam search divides a sum of log probabilities by the length to this power
	EarlyStopping bool    // beam search stops when Beams sequences are complete, instead of when none can be better

	// Sampling determines how tokens are drawn; nil: no drawing. Only a SamplingTaker receives prompts with it. It
	// excludes beam search.
	Sampling *Sampling

	// Tools is the JSON list, in the form of the chat API, of the tools that a chat may call; nil: none. ToolChoice is
	// "auto", "none", "required"; empty: not given.
	Tools      json.RawMessage
	ToolChoice string
	// Session identifies the prompt's conversation. Its turns are sent one after the other. A server may reuse the
	// state of one turn for the next, but not for other conversations. Empty: a single prompt.
	Session string

	// ChatJSON is the result of AppendChat for the prompt, made before the request. A backend that uses JSON sends it
	// unchanged.
	ChatJSON []byte
	// Fields are all fields of a server request (stream included) except model, messages, tools and tool_choice, if the
	// benchmark determines them completely; nil: the backend's own fields. The server decides about missing fields, and
	// MaxNewTokens may be 0: no known limit.
	Fields map[string]json.RawMessage
}

// Tokens describes generated tokens by ids, by text, or only by their number.
type Tokens struct {
	IDs  []int32 // nil if the backend reports only text
	Text string  // empty if the backend reports only ids
	// Reasoning is the thinking before Text, and Calls the tool calls, if the backend separates them from Text. Finish
	// is the reason for the answer's end: "stop", "length", "tool_calls"; empty: not given. Only a complete answer has
	// these fields.
	Reasoning string
	Calls     []ToolCall
	Finish    string
	// N is the number of tokens by the model's or its server's count, never an estimate from chunks of text. In a
	// complete answer it may be Uncounted.
	N int
}

// Uncounted is the value of Tokens.N if only the answer's text is known because the server does not count tokens. A
// workload with a tokenizer may count the text's tokens and reports that (sdk.Noter); any other workload treats it as
// an error.
const Uncounted = -1

// TokenSink receives the output of one Generate call. Any goroutine may call it, but only one at a time. The caller
// owns the Tokens and their memory, so a sink must copy the data that it keeps. A sink blocks only while a queue is
// full.
type TokenSink interface {
	// FirstToken reports that the first token has arrived now. It is called before Complete. If the first data received
	// contains several tokens, t contains all of them; if only the arrival is known, t is empty.
	FirstToken(t Tokens)
	// Complete delivers the complete answer: all generated tokens, including the first, without the prompt. The backend
	// documents whether the ids include an end token; a workload cuts at the end token.
	Complete(t Tokens)
}
