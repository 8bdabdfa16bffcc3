// Package shell contains what all commands share: the process, flags, started plugins, requests, exit codes.
//
// State contains everything that belongs to the process (arguments, streams, environment, signals, clock), so that
// whole commands run inside a test.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/ci"
)

// State contains the process's arguments, streams, environment, signals and clock.
type State struct {
	Args           []string // without the program's name
	Stdout, Stderr io.Writer
	Env            func(key string) string
	Executable     string // path of the harness binary; empty: unknown
	// Screen and ErrScreen describe the terminals of Stdout and Stderr, if any.
	Screen, ErrScreen Screen
	Signals           <-chan os.Signal
	Exit              func(code int) // ends the process at once, after the second Ctrl-C
	// Exec replaces this process by the program at path. It returns only errors.
	Exec func(path string, args []string) error
	Now  func() time.Time
	Root fs.FS // file system of the machine, for its description
	// Proxy returns the proxy for a request; nil: no proxy.
	Proxy   func(*http.Request) (*url.URL, error)
	Plugins plugin.Launcher
}

// Main runs one command of the tree and returns the exit code. Only Main prints errors.
func Main(ctx context.Context, s *State, tree func(*App) *cobra.Command) int {
	ctx, cancel := context.WithCancelCause(ctx)
	out, errs, own := &outputStream{to: s.Stdout}, &outputStream{to: s.Stderr}, *s
	page, console := io.Writer(out), io.Writer(errs)
	if s.Env != nil && terminal.IsASCII(s.Env) {
		page, console = terminal.NewASCIIWriter(out), terminal.NewASCIIWriter(errs)
	}
	a := &App{
		State: &own, Console: console, Data: terminal.NewWriter(out, terminal.Options{}),
		RequiredData: terminal.NewWriter(s.Stdout, terminal.Options{}),
	}
	a.page, a.errPage = a.newPage(page, s.Screen), a.newPage(console, s.ErrScreen)
	own.Stdout, own.Stderr = a.page, a.errPage
	stop := a.listenForSignals(cancel)
	defer stop()
	err := interruptedError(ctx, a.executeCommand(ctx, tree))
	a.page.Flush()
	err = out.endError(err)
	code := exitcode.Of(err)
	var outcome *exitcode.Outcome
	if err != nil && !errors.As(err, &outcome) {
		a.errPage.Flush()
		a.PrintError(err)
	}
	a.errPage.Flush()
	return int(code)
}

// interruptedError returns the error of an interrupted command, whatever failed after the interrupt. A command that
// finishes nevertheless returns nil or an outcome, which interruptedError keeps.
func interruptedError(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var outcome *exitcode.Outcome
	if err == nil || cause == nil || errors.As(err, &outcome) || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// executeCommand runs the command. It converts a panic to an error and closes what the command opened.
func (a *App) executeCommand(ctx context.Context, tree func(*App) *cobra.Command) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return tree(a).ExecuteContext(ctx)
}

// App is one execution of the harness.
type App struct {
	*State
	// Console is standard error for lines that are rewritten. State's streams escape control characters.
	Console io.Writer
	// Data is standard output for programs: JSON, CSV, output of official tools. Its lines are never wrapped.
	Data io.Writer
	// RequiredData is Data with an error for lost output even if the reader has closed the pipe.
	RequiredData io.Writer

	page, errPage *terminal.Writer // State's streams
	allHelp       bool             // --help-all was given

	mu          sync.Mutex
	kill        func() // ends a running plugin at once; nil: none runs
	endsInOrder bool   // the command ends in order when ctx ends and keeps its measurements, however long that takes
	// severalRuns counts the active calls of Several. Such commands also end in order between runs, without a plugin.
	severalRuns int
	// changed is the time of the last change of kill, ends or between.
	changed time.Time

	Report   *ci.Report        // for continuous integration; nil: not requested
	Secrets  secret.Keeper     // of the backend's options
	NoteHook func(text string) // receives the texts of PrintNote too; nil: unused
}

// SetKill sets the function that ends the running plugin after a second signal.
func (a *App) SetKill(kill func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kill = kill
	a.changed = time.Now()
}

// SetOrderly sets whether the command ends in order by itself when its context ends.
func (a *App) SetOrderly(ends bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endsInOrder = ends
	a.changed = time.Now()
}

// MarkClosed records that no plugin runs any more.
func (a *App) MarkClosed() {
	a.SetKill(nil)
	a.SetOrderly(false)
}

// BeginSeveral records that the command makes several runs and ends in order between them, until done is called.
func (a *App) BeginSeveral() (done func()) {
	add := func(n int) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.severalRuns += n
		a.changed = time.Now()
	}
	add(1)
	return func() { add(-1) }
}

// BeginTidying records that the command removes partial files when its context ends, until done is called.
func (a *App) BeginTidying() (done func()) {
	a.SetOrderly(true)
	return func() { a.SetOrderly(false) }
}

// The maximum times between a signal and the end of a command that does not end in order: with a plugin, which must
// close, and without. Such a command may wait for a pipe without a writer or for a disk.
const (
	waitWithPlugin    = 10 * time.Second
	waitWithoutPlugin = time.Second
)

// ignoresSignal reports whether a command has not ended although it received a signal and has no reason to continue. If
// it had a reason until recently, such as a run, its time starts from then.
func (a *App) ignoresSignal(signal, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.endsInOrder || a.kill == nil && a.severalRuns > 0 {
		return false
	}
	if signal.Before(a.changed) {
		signal = a.changed
	}
	since := now.Sub(signal)
	return since >= waitWithPlugin || since >= waitWithoutPlugin && a.kill == nil
}

// listenForSignals waits for signals until stop is called. The first one ends the context, and the second one the
// process. If the command ignores the first one, the process ends too.
func (a *App) listenForSignals(cancel context.CancelCauseFunc) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var first os.Signal
		select {
		case first = <-a.Signals:
			cancel(fmt.Errorf("%w by signal (%v)", loadgen.ErrInterrupted, first))
			fmt.Fprintf(a.Stderr, "\n%v: stopping; outstanding queries are awaited and the logs kept. Once more to kill.\n",
				first)
		case <-done:
			return
		}
		look := time.NewTicker(waitWithoutPlugin / 4)
		defer look.Stop()
		for since := time.Now(); ; {
			select {
			case sig := <-a.Signals:
				if isEcho(first, sig, time.Since(since)) {
					continue
				}
				a.killNow("killed; the logs of this run are partial")
			case <-look.C:
				if !a.ignoresSignal(since, time.Now()) {
					continue
				}
				a.killNow("ended while it waited for something else; there was nothing to save")
			case <-done:
			}
			return
		}
	})
	return func() {
		close(done)
		wg.Wait()
		cancel(nil)
	}
}

// maxEchoDelay is the time within which a repeated signal counts as the first one. The program timeout sends its signal
// to the process and to its group.
const maxEchoDelay = 200 * time.Millisecond

// isEcho reports whether a signal is a repetition of the first one.
func isEcho(first, next os.Signal, after time.Duration) bool {
	return next == first && after < maxEchoDelay
}

func (a *App) killNow(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.page.Flush()
	fmt.Fprintln(a.Stderr, why)
	if a.kill != nil {
		a.kill()
	}
	// mainly for plugins that only describe themselves
	host.RemoveFoldersAndExit(func() { a.Exit(int(exitcode.Interrupted)) })
}

// PrintError prints an error for the user, without secrets.
func (a *App) PrintError(err error) {
	a.errPage.Print(terminal.Span{Style: terminal.Bad, Text: "harness:"}, a.Secrets.Hide(errorMessage(err)))
}

// errorMessage returns the text of an error to print after the program's name.
func errorMessage(err error) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(err.Error(), "\n"), "\n")
	fmt.Fprintf(&b, " %s\n", lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if sdk.OutOfSpace(err) {
		b.WriteString("  what was written before is kept; free some space, or choose another place with --out " +
			"(tune: --tuning)\n")
	}
	b.WriteString(filesHint(err))
	if exitcode.Of(err) == exitcode.Internal {
		b.WriteString("  (an internal error: please report it with this message)\n")
	}
	return b.String()
}

// filesHint returns advice for too many open files, which a plugin may report only as text. It is empty if the error
// already contains advice, as for --limit and for connections to servers.
func filesHint(err error) string {
	const noMore = "too many open files"
	text := err.Error()
	switch {
	case !sdk.OutOfFiles(err) && !strings.Contains(text, noMore),
		strings.Contains(text, "ulimit -n"), strings.Contains(text, "its limit files="):
		return ""
	case strings.Contains(text, noMore+" in system"):
		return "  the whole system has as many open files as it may have: sysctl fs.file-max has the limit\n"
	}
	return "  allow more open files before the command, as with ulimit -n 65536\n"
}
