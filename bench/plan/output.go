package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// Output determines the folder of the results and their statements about the runs.
type Output struct {
	Dir   string `flag:"out"`   // the folder of results; empty: a free one named out
	Force bool   `flag:"force"` // replace results that are there, once there are new ones
	// Listed says that the output folder lists these runs among others that are still to be made: one that fails before
	// its test stays in the records there. Else such a failure leaves the folder as it was.
	Listed bool

	// System is a file of what the machine does not say of itself, Note a remark, and PrecisionLabel the precision of a
	// model of the user's own: they are written down with the results.
	System         string `flag:"system"`
	Note           string `flag:"note"`
	PrecisionLabel string `flag:"precision-label"`
	// Identity identifies the runs in results that show several: a label, and the position among the runs of one
	// command.
	Identity record.Identity

	Trace bool `flag:"trace"` // write mlperf_log_trace.json too, which is large
	// Exports are written beside the logs of each timed run: of each query, as far as they are at most ExportRows samples
	// (0: export.DefaultRows), else of every n-th.
	Exports    []export.Format `flag:"export"`
	ExportRows int             `flag:"export-rows"`
	Watch      Watch

	// What results say of the program that makes them, and of when and where they are made: its version and how it was
	// started; the clock, nil for time.Now; the machine's file system, nil for "/".
	Harness record.Harness
	Command []string
	Now     func() time.Time
	Machine fs.FS
}

// Stated contains the user's statements about the runs, for the record.
type Stated struct {
	System          system.Stated
	Note, Precision string
}

// maxNote and maxLabel bound a note and a label, in bytes.
const (
	maxNote  = 1000
	maxLabel = 100
)

// resolve reads what the user says of the runs.
func (o Output) resolve(p *Plan) error {
	p.Stated = Stated{Note: strings.TrimSpace(o.Note), Precision: strings.TrimSpace(o.PrecisionLabel)}
	var faults []error
	for _, said := range []struct{ flag, text string }{{"--note", o.Note}, {"--precision-label", o.PrecisionLabel}} {
		if len(said.text) > maxNote {
			faults = append(faults, fmt.Errorf("%s: %d bytes, want at most %d", said.flag, len(said.text), maxNote))
		}
	}
	faults = append(faults, checkLabel(o.Identity.Label))
	if o.System != "" {
		s, err := system.ReadStated(o.System)
		p.Stated.System = s
		if errors.Is(err, fs.ErrNotExist) {
			err = sdk.Data(err)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--system: %w", err))
		}
	}
	return exitcode.OfRequest(faults)
}

// checkLabel wants a line of text: it stands in tables, headings and names of files.
func checkLabel(label string) error {
	switch {
	case len(label) > maxLabel:
		return fmt.Errorf("--label: %d bytes, want at most %d", len(label), maxLabel)
	case terminal.Line(label) != label:
		return fmt.Errorf("--label %s: it has a line break or another control character, want one line of text",
			terminal.Line(label))
	}
	return nil
}

// Exports are what is written beside the logs of each timed run: what the request asks for, and the times of each query
// where the files of the endpoints harness are made of them.
func (p *Plan) Exports() []export.Format {
	all := p.Request.Output.Exports
	has := slices.ContainsFunc(all, func(f export.Format) bool { return f.Name == export.JSONLName })
	if !has && p.LoadGen == nil && p.InEndpointsForm() {
		all = append(slices.Clip(all), export.JSONL())
	}
	return all
}

// InEndpointsForm reports whether a LoadGen-driven benchmark is requested in the form of the endpoints harness.
func (p *Plan) InEndpointsForm() bool {
	m := p.Served.Model
	return m.Endpoints.IsRequested(m.ParamValues(p.Embedded, p.Options.Params))
}
