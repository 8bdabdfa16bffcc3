// Package host is the harness's half of the plugin connection: it finds plugin binaries, launches and watches them, and
// offers their workload as a loadgen.SUT and QSL and their scorer as an sdk.Scorer.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// BinaryPrefix begins the file name of every plugin binary.
const BinaryPrefix = "plumbline-plugin-"

// Found is a plugin binary.
type Found struct {
	Name string // without BinaryPrefix
	Path string
}

// Discover lists the plugin binaries of the directories, in order; of two with one name the first counts. A directory
// that does not exist is skipped.
func Discover(dirs []string) ([]Found, error) { return nil, errors.ErrUnsupported }

// LaunchOptions say how to start a plugin. Zero values give the defaults.
type LaunchOptions struct {
	Stderr           io.Writer     // receives what the plugin prints, stdout and stderr; nil: kept for StderrTail only
	StartTimeout     time.Duration // 10 s: from start to handshake
	HeartbeatTimeout time.Duration // 30 s: silence longer than this is a hang
	Env              []string      // added to the plugin's environment
}

// Kind says how a plugin failed.
type Kind string

// The kinds of failure.
const (
	KindStart     Kind = "start"     // it could not be started, or exited before the handshake
	KindHandshake Kind = "handshake" // what it printed is not the handshake
	KindVersion   Kind = "version"   // it speaks another protocol version
	KindDied      Kind = "died"
	KindHung      Kind = "hung"     // no heartbeat
	KindProtocol  Kind = "protocol" // it answered twice, answered what was not asked, or dropped an answer
)

// Error is a plugin's failure.
type Error struct {
	Kind   Kind
	Plugin string   // name
	Path   string   // binary
	Found  string   // what happened
	Hint   string   // what to do
	Stderr []string // its last lines
	Err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plugin %s (%s): %s", e.Plugin, e.Path, e.Found)
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	if len(e.Stderr) > 0 {
		fmt.Fprintf(&b, "\nlast lines of its output:\n  %s", strings.Join(e.Stderr, "\n  "))
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Plugin is a running plugin process.
type Plugin struct{}

// Launch starts the binary, shakes hands, and watches the process until Close. Errors are *Error.
func Launch(ctx context.Context, path string, o LaunchOptions) (*Plugin, error) {
	return nil, errors.ErrUnsupported
}

// Describe asks the plugin what it serves.
func (p *Plugin) Describe(ctx context.Context) (sdk.Description, error) {
	return sdk.Description{}, errors.ErrUnsupported
}

// Open opens a workload in the plugin. A plugin holds one workload at a time.
func (p *Plugin) Open(ctx context.Context, o sdk.Options) (*Workload, error) {
	return nil, errors.ErrUnsupported
}

// OpenScorer opens a scorer in the plugin; entries are streamed to it.
func (p *Plugin) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	return nil, errors.ErrUnsupported
}

// Context returns a context that ends with parent, or with an *Error as its cause as soon as the plugin fails.
func (p *Plugin) Context(parent context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(parent)
}

// StderrTail returns the last lines the plugin printed.
func (p *Plugin) StderrTail() []string { return nil }

// Close ends the process and every process it started: first asked, then killed. It may be called more than once.
func (p *Plugin) Close() error { return nil }

// Workload is a workload opened in a plugin.
type Workload struct{}

// SUT issues queries to the plugin over one stream.
func (w *Workload) SUT() loadgen.SUT { return nil }

// QSL loads samples in the plugin.
func (w *Workload) QSL() loadgen.QSL { return nil }

// Info is what the plugin opened.
func (w *Workload) Info() sdk.WorkloadInfo { return sdk.WorkloadInfo{} }

// Close closes the workload; the plugin lives on.
func (w *Workload) Close() error { return nil }
