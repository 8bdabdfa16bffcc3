// Package observe shows the progress of a command's runs through events, metrics and a page.
package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/metrics"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/otlp"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/web"
)

// ObserverFlags selects the observers of a command's runs.
type ObserverFlags struct {
	events, metrics, web, otlp string // empty: not used
}

// stdoutName is the file name that means standard output.
const stdoutName = "-"

// Add adds the flags.
func (f *ObserverFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.events, "events", "",
		"write events as lines of JSON to `FILE`; - is standard output, and the report\nthen goes "+
			"to standard error (docs/live.md)")
	flags.StringVar(&f.metrics, "metrics", "",
		"serve metrics to Prometheus at `ADDRESS` during runs: 9464 (only for this\nmachine) or "+
			"HOST:PORT")
	flags.StringVar(&f.web, "web", "", "serve a live page at `ADDRESS` during runs, as --metrics")
	flags.StringVar(&f.otlp, "otlp", "",
		"send metrics during runs to an OpenTelemetry receiver at `URL`, such as\nhttp://localhost:4318")
}

// Wanted reports whether any observer is selected.
func (f ObserverFlags) Wanted() bool { return f != ObserverFlags{} }

// Open opens all selected observers before the first run. It reports all faults at once.
func (f ObserverFlags) Open(a *shell.App, json, force bool) (*Observers, error) {
	o := &Observers{App: a}
	var faults []error
	if json && f.events == stdoutName {
		faults = append(faults, errors.New("--json and --events - exclude each other: both want standard output"))
	}
	for _, open := range []func() error{
		func() error { return o.openEvents(f.events, force) },
		func() (err error) { o.metrics, err = openIfNamed(f.metrics, "--metrics", metrics.Listen); return },
		func() (err error) { o.page, err = openIfNamed(f.web, "--web", web.Listen); return },
		func() (err error) { o.sender, err = openIfNamed(f.otlp, "--otlp", otlp.NewSender); return },
	} {
		faults = append(faults, open())
	}
	if err := errors.Join(faults...); err != nil {
		o.discardOpened()
		return nil, sdk.Usage(err)
	}
	o.startAll(f.events == stdoutName)
	return o, nil
}

// openIfNamed calls open with a flag's value, unless the value is empty.
func openIfNamed[T any](value, flag string, open func(string) (*T, error)) (*T, error) {
	if value == "" {
		return nil, nil
	}
	t, err := open(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return t, nil
}

// openEvents opens the file of events. It replaces a non-empty file only with force. It opens pipes and terminals
// without replacing them.
func (o *Observers) openEvents(path string, force bool) (err error) {
	if path == "" || path == stdoutName {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !force {
		return fmt.Errorf("--events %s: %w: name another, or replace it with --force", path, fs.ErrExist)
	}
	if isStream(path) {
		o.file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0) // O_RDWR does not wait for a reader of a pipe
	} else {
		o.file, err = wholefile.Create(path, 0o666)
	}
	if err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	return nil
}

// isStream reports whether a path is a pipe, a device, or the system's name for an open file, such as /dev/stderr, or
// /dev/fd/63 for a shell's >(PROGRAM). Other links are replaced and not followed, as for all output files.
func isStream(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	kind := info.Mode().Type()
	return kind&(fs.ModeNamedPipe|fs.ModeDevice) != 0 || kind == fs.ModeSymlink && isSystemFile(path)
}

// isSystemFile reports whether a path is in a folder whose names only the system creates.
func isSystemFile(path string) bool {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	return err == nil && (folder == "/dev" || folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/"))
}
