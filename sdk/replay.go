package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Replayer is an optional interface of a Generative workload whose samples are turns of recorded conversations. A timed
// run asks them in order, each once, the next when the answer has come. An answer may fail: that ends its conversation,
// and the run goes on with the next one.
type Replayer interface {
	// Conversations are those that the samples, in their order, are turns of; none: the samples are no turns (an accuracy
	// run of the same benchmark), and an answer that fails ends the run.
	Conversations() []Conversation
	// TurnTimeout is how long an answer may take; one that takes longer has failed with TurnTimeout. 0: as long as it
	// likes.
	TurnTimeout() time.Duration
}

// Conversation is one whose turns are samples, one after the other.
type Conversation struct {
	ID    string
	Turns []int64 // their numbers, ascending
}

// TurnAnswer is the payload of an answer to a turn, as JSON.
type TurnAnswer struct {
	Output       string          `json:"output,omitempty"`
	Reasoning    string          `json:"reasoning,omitempty"`
	ToolCalls    json.RawMessage `json:"tool_calls,omitempty"` // a list, as the API of chats has it
	FinishReason string          `json:"finish_reason,omitempty"`
	Error        *TurnError      `json:"error,omitempty"`
}

// TurnError says why an answer failed.
type TurnError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// The types of a TurnError.
const (
	TurnTimedOut = "TurnTimeout"
	TurnFailed   = "TurnFailed" // by the backend: its server, the connection
)

// ErrTurnTimeout is the cause of a context that ends because an answer takes longer than TurnTimeout.
var ErrTurnTimeout = errors.New("the answer to the turn takes longer than it may")

// AppendFailedTurn appends the payload of an answer that failed by err.
func AppendFailedTurn(dst []byte, err error) []byte {
	e := TurnError{Type: TurnFailed, Message: err.Error()}
	if errors.Is(err, ErrTurnTimeout) {
		e.Type = TurnTimedOut
	}
	text, err := json.Marshal(TurnAnswer{Error: &e})
	if err != nil { // not for texts
		return append(dst, `{"error":{"type":"TurnFailed","message":""}}`...)
	}
	return append(dst, text...)
}

// ParseTurn reads the payload of an answer.
func ParseTurn(payload []byte) (a TurnAnswer, err error) {
	if err := json.Unmarshal(payload, &a); err != nil {
		return a, fmt.Errorf("the payload of a turn: %w", err)
	}
	return a, nil
}
