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
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// Output determines the folder of the results and the statements in them about the runs.
type Output struct {
	Dir   string `flag:"out"`   // the folder of results; empty: a free folder named out
	Force bool   `flag:"force"` // replace existing results once there are new ones
	// Listed states that the output folder also lists other runs that are still to be made. A run that fails before its
	// test then stays in the records there. Otherwise such a failure leaves the folder unchanged.
	Listed bool

	// System is a file that describes properties of the machine that it does not report, Note a remark, and PrecisionLabel
	// the precision of a user's model. All are recorded with the results.
	System         string `flag:"system"`
	Note           string `flag:"note"`
	PrecisionLabel string `flag:"precision-label"`
	// Identity distinguishes the runs in results with several runs: a label, and the position among the runs of a command.
	Identity record.Identity

	Trace bool `flag:"trace"` // also write mlperf_log_trace.json, which is large
	// Exports lists the formats of exports written next to the logs of each timed run. An export contains every query if
	// there are no more than ExportRows samples (0: export.DefaultRows), and otherwise every n-th query.
	Exports    []export.Format `flag:"export"`
	ExportRows int             `flag:"export-rows"`
	Watch      Watch

	// Facts for the results: the program's version and command line, the clock (nil: time.Now) and the machine's file
	// system (nil: "/").
	Harness record.Harness
	Command []string
	Now     func() time.Time
	Machine fs.FS
}

// Stated contains the user's statements about the runs, for the record.
type Stated struct {
	System          system.StatedProperties
	Note, Precision string
}

// Maximum lengths of a note and a label, in bytes.
const (
	maxNote  = 1000
	maxLabel = 100
)

// resolve reads the user's statements about the runs and checks the exports. The runs must have been chosen.
func (o Output) resolve(p *Plan) (stated, exports error) {
	return o.readStated(p), p.checkExports(o)
}

// readStated reads the user's statements about the runs.
func (o Output) readStated(p *Plan) error {
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

// checkLabel requires a single line of text, because labels appear in tables, headings and file names.
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

// checkExports requires a timed run to export, and a LoadGen that provides its measurements.
func (p *Plan) checkExports(o Output) error {
	switch {
	case o.ExportRows < 0:
		return fmt.Errorf("--export-rows %d: want 1 or more", o.ExportRows)
	case len(o.Exports) == 0:
		return nil
	case p.Request.Rules.LoadGen == LoadGenOfficial:
		return errors.New("--export: the official LoadGen does not hand out what it measured; --trace writes its own log " +
			"of it")
	}
	for _, t := range p.Runs {
		if t.Mode != loadgen.AccuracyOnly {
			return nil
		}
	}
	if len(p.Runs) == 0 { // reported as another fault
		return nil
	}
	return errors.New("--export: it is of timed runs, and there is none")
}

// Exports returns the formats written next to the logs of each timed run: the requested ones, and the times of each
// query if the files of the endpoints harness are made from them.
func (p *Plan) Exports() []export.Format {
	all := p.Request.Output.Exports
	has := slices.ContainsFunc(all, func(f export.Format) bool { return f.Name == export.JSONLName })
	if !has && p.LoadGen == nil && p.InEndpointsForm() {
		all = append(slices.Clip(all), export.JSONL())
	}
	return all
}

// InEndpointsForm reports whether a LoadGen-driven benchmark was requested in the form of the endpoints harness.
func (p *Plan) InEndpointsForm() bool {
	m := p.Served.Model
	return m.Endpoints.IsRequested(m.ParamValues(p.Embedded, p.Options.Params))
}
