// Package shell contains what all commands share: the process, flags, started plugins, requests, exit codes.
//
// Everything that belongs to the process (arguments, streams, environment, signals, clock) is in one State, so that
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
	Executable     string // path of the harness binary; empty: not known
	// Screen and ErrScreen are the terminals that Stdout and Stderr are, if they are.
	Screen, ErrScreen Screen
	Signals           <-chan os.Signal
	Exit              func(code int) // ends the process at once: the second Ctrl-C
	// Exec puts the program at path in the place of this process; it returns only errors.
	Exec func(path string, args []string) error
	Now  func() time.Time
	Root fs.FS // the machine's file system, for its description
	// Proxy is the proxy of a request; nil: none.
	Proxy   func(*http.Request) (*url.URL, error)
	Plugins plugin.Launcher
}

// Main runs one command of the tree and returns the exit code. Errors are printed here and nowhere else.
func Main(ctx context.Context, s *State, tree func(*App) *cobra.Command) int {
	ctx, cancel := context.WithCancelCause(ctx)
	out, errs, own := &outputStream{to: s.Stdout}, &outputStream{to: s.Stderr}, *s
	page, console := io.Writer(out), io.Writer(errs)
	if s.Env != nil && terminal.IsASCII(s.Env) {
		page, console = terminal.ASCII(out), terminal.ASCII(errs)
	}
	a := &App{
		State: &own, Console: console, Data: terminal.NewWriter(out, terminal.Options{}),
		Asked: terminal.NewWriter(s.Stdout, terminal.Options{}),
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
		a.Complain(err)
	}
	a.errPage.Flush()
	return int(code)
}

// interruptedError is the error of a command that failed after its context had ended: whatever failed then, it was
// ended. What came to an end all the same says so itself, by no error or by an outcome.
func interruptedError(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var outcome *exitcode.Outcome
	if err == nil || cause == nil || errors.As(err, &outcome) || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// executeCommand runs the command. One that panics ends with an error, and what it had opened is closed.
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
	// Console is standard error for lines that are rewritten: State's streams show control characters.
	Console io.Writer
	// Data is standard output for programs: JSON, CSV, what an official tool would print. No line of it is broken.
	Data io.Writer
	// Asked is Data whose loss is an error even where its reader has gone.
	Asked io.Writer

	page, errPage *terminal.Writer // State's streams
	allHelp       bool             // --help-all

	mu   sync.Mutex
	kill func() // ends a running plugin at once; nil where none runs
	ends bool   // the end of ctx leads to an end in order, with what is measured kept, however long that takes
	// between counts what ends in order, too, while no plugin runs: commands that make several runs, and write of each.
	between int
	// changed is when one of the three did so last.
	changed time.Time

	Report  *ci.Report        // for continuous integration; nil: none was requested
	Secrets secret.Keeper     // of the backend's options
	Heard   func(text string) // hears what note shows, too; nil: nobody does
}

// OnKill says how to end what runs when the user insists.
func (a *App) OnKill(kill func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kill = kill
	a.changed = time.Now()
}

// Orderly says whether the command ends in order by itself when its context does.
func (a *App) Orderly(ends bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends = ends
	a.changed = time.Now()
}

// Closed says that no plugin runs any more.
func (a *App) Closed() {
	a.OnKill(nil)
	a.Orderly(false)
}

// Several says that the command makes several runs: between them it ends in order, and returns the end of that.
func (a *App) Several() (done func()) {
	add := func(n int) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.between += n
		a.changed = time.Now()
	}
	add(1)
	return func() { add(-1) }
}

// Tidies says that the command removes by itself what is half written when its context ends, and returns the end of
// that.
func (a *App) Tidies() (done func()) {
	a.Orderly(true)
	return func() { a.Orderly(false) }
}

// How long a command that does not may go on after a signal: with a plugin, which is asked to close, and without. What
// it waits for may be a pipe that nobody writes to, or a disk that does not answer.
const (
	patienceWithPlugin = 10 * time.Second
	patience           = time.Second
)

// ignoresSignal reports whether a command that had a signal at a time has not ended now, though nothing keeps it. A
// command that was kept until a moment ago, as by its run, has its patience from then on.
func (a *App) ignoresSignal(signal, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ends || a.kill == nil && a.between > 0 {
		return false
	}
	if signal.Before(a.changed) {
		signal = a.changed
	}
	since := now.Sub(signal)
	return since >= patienceWithPlugin || since >= patience && a.kill == nil
}

// listenForSignals waits for signals until stop: the first one ends the context, the second one the process. So does
// the first one where the command pays no heed to it.
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
		look := time.NewTicker(patience / 4)
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

// echo is how soon a signal that comes again is still the first one: the program timeout sends its own to the process
// and to the group that it is in.
const echo = 200 * time.Millisecond

// isEcho reports whether a signal is the first one, sent twice, and not another wish.
func isEcho(first, next os.Signal, after time.Duration) bool { return next == first && after < echo }

func (a *App) killNow(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.page.Flush()
	fmt.Fprintln(a.Stderr, why)
	if a.kill != nil {
		a.kill()
	}
	// of plugins that are just asked what they are, above all
	host.RemoveFoldersAndExit(func() { a.Exit(int(exitcode.Interrupted)) })
}

// Complain shows an error as the user reads it, without secrets.
func (a *App) Complain(err error) {
	a.errPage.Print(terminal.Span{Style: terminal.Bad, Text: "harness:"}, a.Secrets.Hide(errorMessage(err)))
}

// errorMessage is an error after the program's name.
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

// filesHint says what to do where there are too many open files, which a plugin may say in words alone. It is empty
// where the message says so itself: of a limit that --limit set, and of connections to servers.
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
