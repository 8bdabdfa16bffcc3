// Package exitcode maps outcomes to exit codes: one code per class of outcome, and the worst of all runs.
package exitcode

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/trust"
)

// Code is a process exit code.
type Code int

// The codes, as documented in the README.
const (
	Valid       Code = 0   // every run VALID, every accuracy at or above its target
	Internal    Code = 1   // a fault of the harness itself, or one that it cannot name
	Usage       Code = 2   // command line, settings or output directory
	Invalid     Code = 3   // a performance run is INVALID
	Accuracy    Code = 4   // an accuracy is below its target
	Plugin      Code = 5   // a plugin could not be started, died, hung or answered nonsense
	Data        Code = 6   // a model or data set is missing or wrong
	Client      Code = 7   // a search for a server's highest load met the client's limit first
	Few         Code = 8   // a search had not enough data to tell
	Interrupted Code = 130 // Ctrl-C or SIGTERM
)

// severity orders the codes from the mildest to the worst.
var severity = [...]Code{Valid, Few, Client, Invalid, Accuracy, Data, Plugin, Usage, Internal, Interrupted}

// names say in a few words what the codes stand for.
var names = map[Code]string{
	Valid:       "VALID",
	Internal:    "internal error",
	Usage:       "usage or settings",
	Invalid:     "INVALID",
	Accuracy:    "accuracy below target",
	Plugin:      "plugin failed",
	Data:        "model or data missing or wrong",
	Client:      "the client is the limit",
	Few:         "not enough data",
	Interrupted: "interrupted",
}

func (c Code) String() string { return cmp.Or(names[c], "unknown") }

// Worst returns the worst of the codes; Valid where there are none.
func Worst(codes ...Code) Code {
	worst := 0
	for _, c := range codes {
		worst = max(worst, rank(c))
	}
	return severity[worst]
}

func rank(c Code) int {
	if i := slices.Index(severity[:], c); i >= 0 {
		return i
	}
	return rank(Internal)
}

// Outcome is the error of a command that did its work and found that the result is not a good one: its code counts,
// and there is nothing more to print.
type Outcome struct{ Code Code }

func (o *Outcome) Error() string { return "outcome: " + o.Code.String() }

// Of maps an error to its code: the class of the outermost mark around it (sdk.Usage, sdk.Data, plugin.Fault) or of the
// sentinel that it is, and of several errors in one the worst. One for lack of room on a disk, or of open files, is
// Usage wherever it came from. An error that nothing is known about is Internal.
func Of(err error) Code {
	var outcome *Outcome
	switch {
	case err == nil:
		return Valid
	case errors.As(err, &outcome):
		return outcome.Code
	case errors.Is(err, loadgen.ErrInterrupted), errors.Is(err, context.Canceled):
		return Interrupted
	case sdk.OutOfSpace(err), sdk.OutOfFiles(err):
		return Usage
	}
	if code, known := classOf(err); known {
		return code
	}
	return Internal
}

// Mark marks err as one of the class, where the class is Usage, Data or Plugin, and keeps its text.
func Mark(code Code, err error) error {
	switch code {
	case Usage:
		return sdk.Usage(err)
	case Data:
		return sdk.Data(err)
	case Plugin:
		return plugin.Fault(err)
	}
	return err
}

// Join joins faults, with the class of the worst. None are no error.
func Join(faults []error) error {
	return Mark(Worst(lists.Map(faults, Of)...), errors.Join(faults...))
}

// OfRequest joins faults of a request, with the class of the worst; one that carries no class is of usage. None are no
// error.
func OfRequest(faults []error) error {
	for i, f := range faults {
		if f != nil && Of(f) == Internal {
			faults[i] = sdk.Usage(f)
		}
	}
	return Join(faults)
}

// OrData lets an error that carries no class be one of the data: what was to be opened, or scored, is wrong.
func OrData(err error) error {
	if Of(err) == Internal {
		return sdk.Data(err)
	}
	return err
}

// classOf looks for the class of an error from the outside to the inside.
func classOf(err error) (worst Code, known bool) {
	if code, known := own(err); known {
		return code, true
	}
	switch e := err.(type) { //nolint:errorlint // one error of the chain after the other
	case interface{ Unwrap() error }:
		return classOf(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if code, ok := classOf(part); ok {
				worst, known = Worst(worst, code), true
			}
		}
	}
	return worst, known
}

// own is the class of an error without what it wraps. A plugin that reports that it cannot go on may blame the data or
// the model.
func own(err error) (Code, bool) {
	if e, failed := err.(*host.PluginError); failed { //nolint:errorlint // not what it wraps
		if e.Kind == host.KindFailed && errors.Is(e.Err, sdk.ErrData) {
			return Data, true
		}
		return Plugin, true
	}
	is, _ := err.(interface{ Is(error) bool })
	for _, class := range classes() {
		for _, sentinel := range class.sentinels {
			if err == sentinel || is != nil && is.Is(sentinel) { //nolint:errorlint // not what it wraps
				return class.code, true
			}
		}
	}
	return Internal, false
}

// class is what a code's errors wrap.
type class struct {
	code      Code
	sentinels []error
}

func classes() []class {
	return []class{
		{Plugin, []error{plugin.ErrFault, loadgen.ErrProtocol}},
		{Usage, []error{
			sdk.ErrUsage, mlconf.ErrConfig, loadgen.ErrBadSettings, loadgen.ErrLogs, loadgen.ErrLogsLost, trust.ErrLock,
		}},
		{Data, []error{
			sdk.ErrData, loadgen.ErrBadQSL, fetch.ErrMissing, fetch.ErrOffline, fetch.ErrServer, fetch.ErrChecksum,
			fetch.ErrArchive, fetch.ErrUnsafe, fetch.ErrBadFile,
		}},
	}
}
