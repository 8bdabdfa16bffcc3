// Package exitcode maps each class of outcome to an exit code, and selects the worst code of several runs.
package exitcode

import (
	"context"
	"errors"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/trust"
)

// Code is a process exit code.
type Code int

// The exit codes.
const (
	Valid       Code = 0
	Internal    Code = 1
	Usage       Code = 2
	Invalid     Code = 3
	Accuracy    Code = 4
	Plugin      Code = 5
	Data        Code = 6
	Client      Code = 7
	Few         Code = 8
	Interrupted Code = 130
)

// Meaning describes an exit code.
type Meaning struct {
	Code  Code
	Name  string // a short description
	About string // when the harness exits with the code
}

// meanings lists the codes by severity, mildest first. It is never modified.
var meanings = []Meaning{
	{Valid, "VALID", "every run is VALID, and every accuracy is at or above its target"},
	{Few, "not enough data", "a search for the highest load had too few requests to decide"},
	{Client, "the client is the limit", "a search for the highest load of a server met the client's limit first"},
	{Invalid, "INVALID", "a performance run is INVALID, an objective is missed, or a condition of --fail-if is met"},
	{Accuracy, "accuracy below target", "an accuracy is below its target"},
	{Data, "model or data missing or wrong", "a model or a data set is missing or wrong"},
	{Plugin, "plugin failed", "a plugin, its backend or a library of them did not start, died, hung or answered nonsense"},
	{Usage, "usage or settings", "the command line, a setting or the output folder is wrong, or the disk is full"},
	{Internal, "internal error", "the harness itself is at fault, or cannot name the cause"},
	{Interrupted, "interrupted", "Ctrl-C or SIGTERM ended the command"},
}

// Meanings lists the codes by severity, mildest first.
func Meanings() []Meaning { return slices.Clone(meanings) }

func (c Code) String() string {
	if at := codeRank(c); meanings[at].Code == c {
		return meanings[at].Name
	}
	return "unknown"
}

// Worst returns the most severe of the codes, or Valid if there are none.
func Worst(codes ...Code) Code {
	worst := 0
	for _, c := range codes {
		worst = max(worst, codeRank(c))
	}
	return meanings[worst].Code
}

func codeRank(c Code) int {
	if i := slices.IndexFunc(meanings, func(m Meaning) bool { return m.Code == c }); i >= 0 {
		return i
	}
	return codeRank(Internal)
}

// Outcome is the error of a command that did its work with a bad result. Its code is the exit code; the command prints
// no further message.
type Outcome struct{ Code Code }

func (o *Outcome) Error() string { return "outcome: " + o.Code.String() }

// Of returns the exit code of an error: the class of the outermost mark (sdk.Usage, sdk.Data, plugin.Fault) or of the
// sentinel that the error wraps. For several joined errors it returns the most severe code. A full disk and too many
// open files are always Usage. Unknown errors are Internal.
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

// Mark adds the class of code to err if the class is Usage, Data or Plugin. The text of err does not change.
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

// Join joins faults and gives the error the most severe class. It returns nil if there are no faults.
func Join(faults []error) error {
	codes := make([]Code, len(faults))
	for i, fault := range faults {
		codes[i] = Of(fault)
	}
	return Mark(Worst(codes...), errors.Join(faults...))
}

// OfRequest joins faults of a request and gives the error the most severe class. Faults without a class are Usage. It
// returns nil if there are no faults.
func OfRequest(faults []error) error {
	for i, f := range faults {
		if f != nil && Of(f) == Internal {
			faults[i] = sdk.Usage(f)
		}
	}
	return Join(faults)
}

// OrData marks an error without a class as a data error: the input to open or score is wrong.
func OrData(err error) error {
	if Of(err) == Internal {
		return sdk.Data(err)
	}
	return err
}

// classOf searches the chain of an error, outermost first, for a class.
func classOf(err error) (worst Code, known bool) {
	if code, known := ownClass(err); known {
		return code, true
	}
	switch e := err.(type) { //nolint:errorlint // the loop inspects one error of the chain at a time
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

// ownClass returns the class of an error without the errors that it wraps. A plugin that reports that it cannot
// continue may blame the data or the model.
func ownClass(err error) (Code, bool) {
	if e, failed := err.(*host.PluginError); failed { //nolint:errorlint // wrapped errors are inspected later
		if e.Kind == host.KindFailed && errors.Is(e.Err, sdk.ErrData) {
			return Data, true
		}
		return Plugin, true
	}
	is, _ := err.(interface{ Is(error) bool })
	for _, class := range errorClasses() {
		for _, sentinel := range class.sentinels {
			if err == sentinel || is != nil && is.Is(sentinel) { //nolint:errorlint // wrapped errors are inspected later
				return class.code, true
			}
		}
	}
	return Internal, false
}

// errorClass contains the sentinels that the errors of a code wrap.
type errorClass struct {
	code      Code
	sentinels []error
}

func errorClasses() []errorClass {
	return []errorClass{
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
