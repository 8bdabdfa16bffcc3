package host

import (
	"fmt"
	"strings"
)

// FailureKind classifies a plugin's failure.
type FailureKind string

// The kinds of failures.
const (
	KindStart     FailureKind = "start"     // it could not be started, or exited before the handshake
	KindHandshake FailureKind = "handshake" // its output is not the handshake
	KindVersion   FailureKind = "version"   // it uses another protocol version
	KindDied      FailureKind = "died"
	KindHung      FailureKind = "hung"     // no heartbeat, or no answer for LaunchOptions.AnswerTimeout
	KindProtocol  FailureKind = "protocol" // it answered twice, answered an unknown request, or dropped an answer
	KindLimit     FailureKind = "limit"    // it used more than LaunchOptions.Limits allow
	KindFailed    FailureKind = "failed"   // it reported that it cannot go on: an error of the backend, a panic
)

// PluginError is a plugin's failure. Errors caused by the user are not PluginErrors: see sdk.ErrUsage and sdk.ErrData.
type PluginError struct {
	Kind   FailureKind
	Plugin string   // name
	Path   string   // binary
	Found  string   // what happened
	Hint   string   // what to do
	Stderr []string // its last lines
	Err    error
}

// maxLineBytes is the maximum number of bytes of each output line in a message.
const maxLineBytes = 1000

func (e *PluginError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plugin %s (%s): %s", e.Plugin, e.Path, e.Found)
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	if len(e.Stderr) > 0 {
		b.WriteString("\nlast lines of its output:")
	}
	for _, line := range e.Stderr {
		b.WriteString("\n  " + cutText(line, maxLineBytes))
	}
	return b.String()
}

func (e *PluginError) Unwrap() error { return e.Err }
