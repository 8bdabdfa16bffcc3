package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/endpoint"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/events"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/metrics"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/otlp"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/web"
)

// Observers contains the observers of a command's runs in progress. A nil observer is not used.
type Observers struct {
	*shell.App
	feed *feed.Feed

	events  *events.Stream
	file    *os.File // destination of events; nil: standard output
	metrics *metrics.Exporter
	page    *web.Page
	sender  *otlp.Sender
	report  io.Writer // original standard output if events use it instead of the report; else nil
}

// startAll starts all observers. If events use standard output, the report goes to standard error.
func (o *Observers) startAll(stdout bool) {
	var sinks []feed.Sink
	switch {
	case stdout:
		o.events = events.NewStream(o.RequiredData, stdoutName)
		o.report, o.Stdout = o.Stdout, o.Stderr
	case o.file != nil:
		o.events = events.NewStream(o.file, o.file.Name())
	}
	if o.events != nil {
		sinks = append(sinks, o.events)
	}
	if o.page != nil {
		sinks = append(sinks, o.page)
	}
	o.feed = feed.New(o.Now, sinks...)
	if o.metrics != nil {
		o.metrics.Serve(o.feed)
		o.printAddress("metrics", o.metrics.Server(), metrics.Path)
	}
	if o.page != nil {
		o.page.Serve()
		o.printAddress("page", o.page.Server(), "/")
	}
	if o.sender != nil {
		o.sender.Send(o.feed, shell.Version().Version)
	}
	o.feed.Begin(shell.Version(), o.CommandLine())
}

// printAddress prints the address of a service and whether other machines can reach it.
func (o *Observers) printAddress(what string, s *endpoint.Server, path string) {
	fmt.Fprintf(o.Stderr, "%s at http://%s%s\n", what, s.Address(), path)
	if s.IsPublic() {
		fmt.Fprintf(o.Stderr, "  other machines can reach it, and no password is asked for\n")
	}
}

// Plan reports a plan that begins. On a nil *Observers, Plan, Open, Test, Done and Note do nothing.
func (o *Observers) Plan(p *bench.Plan) {
	if o != nil {
		o.feed.Plan(p.Out, p.Request.Output.Identity, p.Runs)
	}
}

// Open reports the first opened workload.
func (o *Observers) Open(rec record.Run) {
	if o != nil {
		o.feed.Open(rec)
	}
}

// Test reports the progress of a test until stop is called.
func (o *Observers) Test(t bench.PlannedRun, p *loadgen.Progress) (stop func()) {
	if o == nil {
		return func() {}
	}
	return o.feed.WatchTest(t, p)
}

// Done reports the end of a run.
func (o *Observers) Done(rec record.Run) {
	if o != nil {
		o.feed.Done(rec)
	}
}

// Note reports a note that the user sees next to the report.
func (o *Observers) Note(text string) {
	if o != nil {
		o.feed.Note(text)
	}
}

// The time limits at the end for readers of events, and for scrapes and pages.
const (
	maxReaderWait = 5 * time.Second
	maxPageWait   = 2 * time.Second
)

// Close reports the command's outcome and closes all observers in order. If err is nil, it returns an error for lost
// events.
func (o *Observers) Close(ctx context.Context, err error) error {
	o.SetOrderly(true)
	defer o.SetOrderly(false)
	o.feed.End(o.endEvent(err))
	lost := o.closeEvents()
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxPageWait)
	defer cancel()
	if o.page != nil {
		o.page.Close(brief)
	}
	if o.sender != nil {
		if missed := o.sender.Close(); missed != nil {
			fmt.Fprintf(o.Stderr, "%v\n", missed)
		}
	}
	o.closeMetrics(ctx)
	if lost == nil {
		return err
	}
	return shell.JoinLostOutput(err, lost)
}

func (o *Observers) endEvent(err error) feed.EndData {
	code := exitcode.Of(err)
	e := feed.EndData{ExitCode: int(code), Outcome: code.String()}
	var outcome *exitcode.Outcome
	if err != nil && !errors.As(err, &outcome) {
		e.Error = o.Secrets.Hide(err.Error())
	}
	return e
}

// closeEvents closes the stream of events and restores standard output. For dropped progress events it only prints a
// note.
func (o *Observers) closeEvents() error {
	if o.events == nil {
		return nil
	}
	err := o.events.Close(maxReaderWait)
	if o.report != nil {
		o.Stdout = o.report
	}
	if o.file != nil {
		if closed := o.file.Close(); closed != nil && err == nil {
			err = fmt.Errorf("--events: %w", closed)
		}
	}
	if errors.Is(err, events.ErrDropped) {
		fmt.Fprintf(o.Stderr, "%v\n", err)
		return nil
	}
	return err
}

// closeMetrics waits until a regular scraper has read the last values.
func (o *Observers) closeMetrics(ctx context.Context) {
	if o.metrics == nil {
		return
	}
	if most := o.metrics.ScrapeWait(); most > 0 && ctx.Err() == nil {
		fmt.Fprintf(o.Stderr, "waiting for the last scrape of --metrics, up to %v; Ctrl-C ends it\n",
			most.Round(time.Second))
		o.metrics.AwaitScrape(ctx, most)
	}
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxPageWait)
	defer cancel()
	o.metrics.Close(brief)
}

// discardOpened closes the opened observers before they were used.
func (o *Observers) discardOpened() {
	ctx := context.Background()
	if o.file != nil {
		o.file.Close()
	}
	if o.metrics != nil {
		o.metrics.Close(ctx)
	}
	if o.page != nil {
		o.page.Close(ctx)
	}
	if o.sender != nil {
		_ = o.sender.Close() // not started
	}
}
