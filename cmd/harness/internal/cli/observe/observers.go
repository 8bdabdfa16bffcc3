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

// Observers contains the observers of a command's runs in progress. Nil observers are not used.
type Observers struct {
	*shell.App
	feed *feed.Feed

	events  *events.Stream
	file    *os.File // of the events; nil: standard output
	metrics *metrics.Exporter
	page    *web.Page
	sender  *otlp.Sender
	report  io.Writer // standard output, where events take it from the report; else nil
}

// startAll lets everybody see. Where events take standard output, the report goes to the error stream.
func (o *Observers) startAll(stdout bool) {
	var sinks []feed.Sink
	switch {
	case stdout:
		o.events = events.NewStream(o.Asked, standardOutput)
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
		o.sayAddress("metrics", o.metrics.Server(), metrics.Path)
	}
	if o.page != nil {
		o.page.Serve()
		o.sayAddress("page", o.page.Server(), "/")
	}
	if o.sender != nil {
		o.sender.Send(o.feed, shell.Version().Version)
	}
	o.feed.Begin(shell.Version(), o.CommandLine())
}

// sayAddress says where something is, and who may see it.
func (o *Observers) sayAddress(what string, s *endpoint.Server, path string) {
	fmt.Fprintf(o.Stderr, "%s at http://%s%s\n", what, s.Address(), path)
	if s.Open() {
		fmt.Fprintf(o.Stderr, "  other machines can reach it, and no password is asked for\n")
	}
}

// Plan tells them of a plan that begins. Where there are no observers it does nothing, as Open, Test, Done and Note.
func (o *Observers) Plan(p *bench.Plan) {
	if o != nil {
		o.feed.Plan(p.Out, p.Request.Output.Identity, p.Runs)
	}
}

// Open tells them what the first workload that is open says of itself.
func (o *Observers) Open(rec record.Run) {
	if o != nil {
		o.feed.Open(rec)
	}
}

// Test shows them a test until stop.
func (o *Observers) Test(t bench.PlannedRun, p *loadgen.Progress) (stop func()) {
	if o == nil {
		return func() {}
	}
	return o.feed.Test(t, p)
}

// Done tells them of a run that has ended.
func (o *Observers) Done(rec record.Run) {
	if o != nil {
		o.feed.Done(rec)
	}
}

// Note tells them what the user is told beside the report.
func (o *Observers) Note(text string) {
	if o != nil {
		o.feed.Note(text)
	}
}

// How long readers, scrapes under way and pages have in the end.
const (
	readerPatience = 5 * time.Second
	pagePatience   = 2 * time.Second
)

// Close tells how the command ended and ends everything in order. Events that are lost are an error, of a command
// that has no other.
func (o *Observers) Close(ctx context.Context, err error) error {
	o.Orderly(true)
	defer o.Orderly(false)
	o.feed.End(o.endEvent(err))
	lost := o.closeEvents()
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), pagePatience)
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
	return shell.WithLost(err, lost)
}

func (o *Observers) endEvent(err error) feed.End {
	code := exitcode.Of(err)
	e := feed.End{ExitCode: int(code), Outcome: code.String()}
	var outcome *exitcode.Outcome
	if err != nil && !errors.As(err, &outcome) {
		e.Error = o.Secrets.Hide(err.Error())
	}
	return e
}

// closeEvents gives standard output back. Progress that was left out is no more than said.
func (o *Observers) closeEvents() error {
	if o.events == nil {
		return nil
	}
	err := o.events.Close(readerPatience)
	if o.report != nil {
		o.Stdout = o.report
	}
	if o.file != nil {
		if closed := o.file.Close(); closed != nil && err == nil {
			err = fmt.Errorf("--events: %w", closed)
		}
	}
	if errors.Is(err, events.ErrLeft) {
		fmt.Fprintf(o.Stderr, "%v\n", err)
		return nil
	}
	return err
}

// closeMetrics waits for who scrapes at intervals to come for the last values.
func (o *Observers) closeMetrics(ctx context.Context) {
	if o.metrics == nil {
		return
	}
	if most := o.metrics.Wait(); most > 0 && ctx.Err() == nil {
		fmt.Fprintf(o.Stderr, "waiting for the last scrape of --metrics, up to %v; Ctrl-C ends it\n",
			most.Round(time.Second))
		o.metrics.AwaitScrape(ctx, most)
	}
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), pagePatience)
	defer cancel()
	o.metrics.Close(brief)
}

// discardOpened gives up what was opened before anything was seen.
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
		_ = o.sender.Close() // it has not begun
	}
}
