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

// The supported endpoints, with their names on the command line.
const (
	Chat        API = "chat"        // /v1/chat/completions
	Completions API = "completions" // /v1/completions
	Responses   API = "responses"   // /v1/responses
	Embeddings  API = "embeddings"  // /v1/embeddings
	Rerank      API = "rerank"      // /v1/rerank
)

// Ask is one request before encoding. Exactly one of IDs, Text, Messages, Input and Documents is set. Requests share
// slices, so callers must not write to them.
type Ask struct {
	API API
	Row int    // row of the data, from 0
	ID  string // id of the row; empty: none

	IDs  []int32 // ids of the model's vocabulary
	Text string  // for chats: the only question
	user int     // start of the user's part of IDs or Text, after the system's part
	// Before contains the messages of earlier turns, which precede Messages: JSON values, each followed by a comma. The
	// turns of a session share its memory.
	Before    []byte
	Messages  json.RawMessage // of a chat, as in the data
	Input     json.RawMessage // of embeddings: a string or a list of strings
	Query     string          // of rerank
	Documents json.RawMessage // of rerank: a list of strings
	Tools     json.RawMessage // of a chat; nil: none

	Model string // a LoRA adapter's name; empty: the server's model
	// MaxTokens is the maximum number of tokens of the answer; 0: the server's own limit. Exact requests exactly this
	// number if the kind of server supports it.
	MaxTokens int
	Exact     bool
	// InputTokens is the intended length of the prompt in tokens; 0: unknown.
	InputTokens int
	Fields      map[string]json.RawMessage // further fields of the body, which override all others
	Header      map[string]string          // further header fields

	Session string // name of a session with several turns; empty: none
	Turn    int    // from 0
	// Own marks a turn whose prompt contains only its own part. The earlier turns and the server's answers precede it
	// (History).
	Own    bool
	Think  time.Duration // pause between the previous answer and this turn
	Due    time.Duration // time of a trace, from its first request
	HasDue bool
}
