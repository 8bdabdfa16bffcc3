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

// BinaryPrefix is the prefix of the file name of every plugin binary.
const BinaryPrefix = "plumbline-plugin-"

// FoundPlugin is a plugin binary.
type FoundPlugin struct {
	Name string // without BinaryPrefix
	Path string
}

// Discover lists the plugin binaries of the directories, in order. If a name occurs more than once, the first binary is
// used. It skips directories that do not exist and files that are not executable.
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

// pluginName returns the name of the plugin in a file of dir. ok is false if the file is not a plugin.
func pluginName(dir string, e fs.DirEntry) (string, bool) {
	name, ok := strings.CutPrefix(e.Name(), BinaryPrefix)
	name = strings.TrimSuffix(name, ".exe")
	if !ok || name == "" {
		return "", false
	}
	info, err := os.Stat(filepath.Join(dir, e.Name())) // follows links
	return name, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// pluginNameOf returns the plugin's name for the path of its binary.
func pluginNameOf(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), BinaryPrefix), ".exe")
}

// The defaults of LaunchOptions.
const (
	defaultStartTimeout     = 30 * time.Second
	defaultHeartbeatTimeout = 30 * time.Second
	defaultCloseTimeout     = 5 * time.Second
)

// LaunchOptions determines how to start a plugin. Zero values mean the defaults. The tags name the flags of harness
// that set the fields.
type LaunchOptions struct {
	Stderr           io.Writer     // receives the plugin's stdout and stderr; nil: output is kept only for StderrTail
	StartTimeout     time.Duration `flag:"plugin-start-timeout"` // 30 s: maximum time from start to handshake
	HeartbeatTimeout time.Duration `flag:"heartbeat-timeout"`    // 30 s: maximum silence; longer silence is a hang
	// AnswerTimeout is the maximum time without progress on any request to the plugin; a longer time is a hang. 0: no
	// limit.
	AnswerTimeout time.Duration  `flag:"answer-timeout"`
	CloseTimeout  time.Duration  // 5 s: time between Close's request to end and the kill
	Env           []string       // added to the plugin's environment, as NAME=VALUE
	Inherit       []string       // names of further inherited variables; NAME* means all that begin with NAME, * means all
	Withhold      []string       // names of variables that it does not inherit
	TLS           bool           // mutual TLS also on the unix socket; it doubles the round trip
	StreamOnly    bool           // no shared memory: every frame uses the gRPC stream, as with TLS
	Limits        ResourceLimits // limits of its processes; zero: none
	// Approve, if not nil, is called with the open binary before it is started. If it returns an error, Launch returns
	// that error and does not start the binary. Otherwise Launch executes the approved file, on Linux even if its name
	// then refers to another file. If the file changes during the start, Launch returns a *PluginError.
	Approve func(binary *os.File) error
	// Hide, if not nil, removes secrets from the plugin's messages before they are shown: from each piece of its output (a
	// line of up to 4 KiB) and from error texts. Any goroutine may call it. Answers stay unchanged.
	Hide func(text string) string
	// Note, if not nil, receives messages for the user about a running plugin, one line each, for example about an idle
	// backend process that does not answer. It is called from another goroutine and must not wait for the plugin.
	Note func(text string)
}

// hideSecrets removes secrets from a text of the plugin.
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
