package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Replayer is an optional interface of a Generative workload whose samples are turns of recorded conversations. A timed
// run sends the turns in order, once each, and waits for each answer before the next turn. A failed answer ends its
// conversation; the run continues with the next conversation.
type Replayer interface {
	// Conversations returns the conversations whose turns are the samples, in order. If there are none, the samples are
	// not turns (an accuracy run of the same benchmark), and a failed answer ends the run.
	Conversations() []Conversation
	// TurnTimeout returns the time limit of an answer; a later answer fails with TurnTimeout. 0: no limit.
	TurnTimeout() time.Duration
}

// Conversation is a recorded conversation whose turns are consecutive samples.
type Conversation struct {
	ID    string
	Turns []int64 // sample numbers of the turns, ascending
}

// TurnAnswer is the payload of an answer to a turn, as JSON.
type TurnAnswer struct {
	Output       string          `json:"output,omitempty"`
	Reasoning    string          `json:"reasoning,omitempty"`
	ToolCalls    json.RawMessage `json:"tool_calls,omitempty"` // a list in the form of the chat API
	FinishReason string          `json:"finish_reason,omitempty"`
	Error        *TurnError      `json:"error,omitempty"`
}

// TurnError is the reason of a failed answer.
type TurnError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// The types of a TurnError.
const (
	TurnTimedOut = "TurnTimeout"
	TurnFailed   = "TurnFailed" // because of the backend: its server or the connection
)

// ErrTurnTimeout is the cause of a context that ends because an answer takes longer than TurnTimeout.
var ErrTurnTimeout = errors.New("the answer to the turn takes longer than it may")

// AppendFailedTurn appends the payload of an answer that failed with err.
func AppendFailedTurn(dst []byte, err error) []byte {
	e := TurnError{Type: TurnFailed, Message: err.Error()}
	if errors.Is(err, ErrTurnTimeout) {
		e.Type = TurnTimedOut
	}
	text, err := json.Marshal(TurnAnswer{Error: &e})
	if err != nil { // impossible for texts
		return append(dst, `{"error":{"type":"TurnFailed","message":""}}`...)
	}
	return append(dst, text...)
}

// ParseTurn parses the payload of an answer.
func ParseTurn(payload []byte) (a TurnAnswer, err error) {
	if err := json.Unmarshal(payload, &a); err != nil {
		return a, fmt.Errorf("the payload of a turn: %w", err)
	}
	return a, nil
}
