// Package prompts makes the requests of a measurement in advance, from a user's file or with requested lengths.
//
// In scope: forms of files, columns, lengths, shared prefixes, sessions. Out of scope: the wire form of a request, and
// sending it.
package prompts

import (
	"encoding/json"
	"time"
)

// API is an endpoint of the API of language-model servers.
type API string

// The parts that are known, by their names on the command line.
const (
	Chat        API = "chat"        // /v1/chat/completions
	Completions API = "completions" // /v1/completions
	Responses   API = "responses"   // /v1/responses
	Embeddings  API = "embeddings"  // /v1/embeddings
	Rerank      API = "rerank"      // /v1/rerank
)

// Ask is one request before encoding. It has one of IDs, Text, Messages, Input and Documents. Requests share slices, so
// callers must not write to them.
type Ask struct {
	API API
	Row int    // of the data, from 0
	ID  string // of the row; empty: it has none

	IDs  []int32 // of the model's vocabulary
	Text string  // for chats: the one question
	user int     // where the user's part of IDs or Text begins, behind the system's
	// Before are the messages of the turns before, which go before Messages: JSON values, each with a comma behind it.
	// The turns of a session have its memory in common.
	Before    []byte
	Messages  json.RawMessage // of a chat, as the data has them
	Input     json.RawMessage // of embeddings: a string or several
	Query     string          // of rerank
	Documents json.RawMessage // of rerank: strings
	Tools     json.RawMessage // of a chat; nil: none

	Model string // a LoRA adapter's name; empty: the server's model
	// MaxTokens is the maximum number of tokens of the answer, 0: the server's own limit. Exact requests exactly this
	// number if the kind of server supports it.
	MaxTokens int
	Exact     bool
	// InputTokens is the intended length of the prompt in tokens; 0: unknown.
	InputTokens int
	Fields      map[string]json.RawMessage // further fields of the body; they win over all others
	Header      map[string]string          // further header fields

	Session string // of several turns; empty: none
	Turn    int    // from 0
	// Own marks a turn whose prompt contains only its own part; the earlier turns and the server's answers precede it
	// (History).
	Own    bool
	Think  time.Duration // before this turn, after the answer before
	Due    time.Duration // of a trace, from its first request on
	HasDue bool
}
