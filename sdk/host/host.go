// Package host is the harness's half of the plugin connection. It finds, launches and watches plugin binaries, and
// provides their workload as a loadgen.SUT and QSL and their scorer as an sdk.Scorer.
//
// In scope: discovery, processes, the handshake, the wire, failures and their causes. Out of scope: settings, results,
// exit codes.
package host

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// BinaryPrefix begins the file name of every plugin binary.
const BinaryPrefix = "plumbline-plugin-"

// FoundPlugin is a plugin binary.
type FoundPlugin struct {
	Name string // without BinaryPrefix
	Path string
}

// Discover lists the plugin binaries of the directories, in order; the first binary of a name counts. It skips
// directories that do not exist and files that are not executable.
func Discover(dirs []string) ([]FoundPlugin, error) {
	var found []FoundPlugin
	var errs []error
	seen := map[string]bool{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("plugin directory: %w", err))
		}
		for _, e := range entries {
			name, ok := pluginName(dir, e)
			if ok && !seen[name] {
				seen[name] = true
				found = append(found, FoundPlugin{Name: name, Path: filepath.Join(dir, e.Name())})
			}
		}
	}
	return found, errors.Join(errs...)
}

// pluginName returns the name of the plugin that a file of dir is, if it is one.
func pluginName(dir string, e fs.DirEntry) (string, bool) {
	name, ok := strings.CutPrefix(e.Name(), BinaryPrefix)
	name = strings.TrimSuffix(name, ".exe")
	if !ok || name == "" {
		return "", false
	}
	info, err := os.Stat(filepath.Join(dir, e.Name())) // follows links
	return name, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// nameOf is the plugin name of a binary's path.
func nameOf(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), BinaryPrefix), ".exe")
}

// The defaults of LaunchOptions.
const (
	defaultStartTimeout     = 30 * time.Second
	defaultHeartbeatTimeout = 30 * time.Second
	defaultCloseTimeout     = 5 * time.Second
)

// LaunchOptions determine how to start a plugin. Zero values give the defaults. Tags name the flags of harness that
// fill them.
type LaunchOptions struct {
	Stderr           io.Writer     // receives what the plugin prints, stdout and stderr; nil: kept for StderrTail only
	StartTimeout     time.Duration `flag:"plugin-start-timeout"` // 30 s: from start to handshake
	HeartbeatTimeout time.Duration `flag:"heartbeat-timeout"`    // 30 s: silence longer than this is a hang
	// AnswerTimeout is the maximum time without progress on any request to the plugin; a longer time is a hang. 0: no
	// limit.
	AnswerTimeout time.Duration  `flag:"answer-timeout"`
	CloseTimeout  time.Duration  // 5 s: how long Close asks before it kills
	Env           []string       // added to the plugin's environment, as NAME=VALUE
	Inherit       []string       // names of further variables that it inherits; NAME* for all that begin so, * for all
	Withhold      []string       // names of variables that it does not inherit
	TLS           bool           // mutual TLS on the unix socket too; it doubles the round trip
	StreamOnly    bool           // no shared memory: every frame goes over the gRPC stream, as it does with TLS
	Limits        ResourceLimits // of what its processes may use; zero: none
	// Approve, if not nil, is called with the open binary before it is started. If it returns an error, Launch returns
	// that error and does not start the binary. Otherwise Launch executes the approved file, on Linux even if its name
	// then refers to another file. A file that changes during the start is an *Error.
	Approve func(binary *os.File) error
	// Hide, if not nil, removes secrets from the plugin's messages before they are shown: from each piece of its output
	// (a line of up to 4 KiB) and from error texts. It may be called from any goroutine. Answers stay unchanged.
	Hide func(text string) string
	// Note, if not nil, receives messages for the user about a plugin that is still running, one line each, such as an
	// idle backend process that does not answer. It is called from another goroutine, and must not wait for the plugin.
	Note func(text string)
}

// hideSecrets returns a text of the plugin without its secrets.
func (o LaunchOptions) hideSecrets(text string) string {
	if o.Hide == nil {
		return text
	}
	return o.Hide(text)
}

func (o LaunchOptions) withDefaults() LaunchOptions {
	o.StartTimeout = cmp.Or(max(o.StartTimeout, 0), defaultStartTimeout)
	o.HeartbeatTimeout = cmp.Or(max(o.HeartbeatTimeout, 0), defaultHeartbeatTimeout)
	o.CloseTimeout = cmp.Or(max(o.CloseTimeout, 0), defaultCloseTimeout)
	return o
}
