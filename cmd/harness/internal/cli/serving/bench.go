package serving

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/failif"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/queries"
	"github.com/plumbline-ml/plumbline/bench/record/requests"
	"github.com/plumbline-ml/plumbline/bench/record/results"
	"github.com/plumbline-ml/plumbline/bench/record/sweepfile"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/beside"
	"github.com/plumbline-ml/plumbline/serving/client"
	"github.com/plumbline-ml/plumbline/serving/engine"
	"github.com/plumbline-ml/plumbline/serving/formats"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/search"
	"github.com/plumbline-ml/plumbline/serving/sweep"
)

// session is one measurement.
type session struct {
	*app
	*request
	identity record.Identity // what its points are called
	inSuite  bool            // who made the suite prints JSON of all
	wire     *openai.Client
	about    openai.About
	asker    *client.Client
	set      *prompts.Set
	notes    []string
	sweep    *sweep.Sweep
	sources  beside.Sources
}

// bench measures a server as flags say.
func (a *app) bench(c *cobra.Command, f *benchFlags) (err error) {
	r, err := a.request(c, f)
	if err != nil {
		return err
	}
	s := &session{app: a, request: r, identity: record.Identity{Label: f.label}}
	if f.dryRun {
		return s.dryRun()
	}
	return s.measure(c.Context())
}

// request reads what flags ask for, and keeps their secrets.
func (a *app) request(c *cobra.Command, f *benchFlags) (*request, error) {
	if isConfig(f.address) {
		if err := a.configured(c, f); err != nil {
			return nil, err
		}
	}
	a.learn("header.", f.Header)
	a.learn("body.", f.Body)
	r, err := f.read(c)
	if err != nil {
		return nil, err
	}
	r.flags = append([]string{f.address}, r.flags...)
	return r, nil
}

// measure asks the server what it is, and measures what is missing.
func (s *session) measure(ctx context.Context) (err error) {
	if s.wire, err = s.connect(ctx, &s.serverFlags); err != nil {
		return err
	}
	defer func() { _ = s.wire.Close() }() // nothing is written
	if err := s.open(ctx); err != nil {
		return err
	}
	s.Orderly(true)
	defer s.Orderly(false)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	folder, earlier, err := sweep.Open(s.request.folder(), s.force, s.flags)
	if err != nil {
		return err
	}
	defer folder.Close()
	folder.Extra = s.extra
	s.sweep.Folder = folder
	if earlier != nil {
		s.goOn(folder, earlier)
	}
	s.waits()
	return s.run(ctx)
}

// learn keeps secrets among fields of requests, NAME=VALUE, out of all texts.
func (a *app) learn(prefix string, fields []string) {
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if _, secrets := secret.Option(prefix+name, value); len(secrets) > 0 {
			a.Secrets.Add(append(secrets, strings.Trim(value, `"`))...) // as it is, and out of JSON
		}
	}
}

// open makes the prompts.
func (s *session) open(ctx context.Context) error {
	s.about = s.wire.About()
	o := s.promptOptions(prompts.API(s.about.API), s.about.Vocabulary)
	o.Table = client.OpenParquet
	s.asker = &client.Client{Wire: s.wire, Whole: s.stream == "off"}
	if s.tokenizer != "" {
		t, err := client.OpenTokenizer(s.tokenizer)
		if err != nil {
			return ofPrompts(err)
		}
		o.Tokenizer = t
		s.asker.Text = func(r *metrics.Request, answer, reasoning []byte) {
			r.Retokenized = int64(len(t.EncodePlain(nil, string(reasoning))) + len(t.EncodePlain(nil, string(answer))))
		}
	}
	set, err := prompts.Read(o)
	if err != nil {
		return ofPrompts(err)
	}
	s.set, s.notes = set, set.Notes
	if err := s.fits(); err != nil {
		return err
	}
	if err := s.checkConditions(s.about.Model); err != nil {
		return err
	}
	return ctx.Err()
}

// ofPrompts is the class of a fault of prompts.
func ofPrompts(err error) error {
	if errors.Is(err, prompts.ErrOptions) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// tried is how many requests are looked at before the first is sent.
const tried = 256

// fits compares lengths of prompts and answers with what the server says that it can.
func (s *session) fits() error {
	if s.about.MaxLength == 0 {
		return nil
	}
	drawn := s.set.Draw(prompts.Draw{N: tried, Seed: s.Options.Seed})
	for i := range min(drawn.Len(), tried) {
		if a := drawn.At(i); a.InputTokens+a.MaxTokens > s.about.MaxLength && a.InputTokens > 0 {
			return sdk.Usage(fmt.Errorf("%d tokens of a prompt and %d of its answer are more than the %d that %s has room for: "+
				"lower --isl or --osl", a.InputTokens, a.MaxTokens, s.about.MaxLength, s.about.Model))
		}
	}
	return nil
}

// prepare settles what all points have in common, and asks for one answer first.
func (s *session) prepare(ctx context.Context) error {
	noTokens := s.set.API == prompts.Embeddings || s.set.API == prompts.Rerank
	settings := sweep.Settings{
		Asker: s.asker, Prompts: s.set, Seed: s.Options.Seed, WarmUp: s.warmUp, Grace: s.grace, BoundAll: s.boundAll,
		MaxErrors: &s.maxErrors,
		Retry:     s.retry, LoadGen: s.loadgen, WholeWindow: s.window == "all", Objectives: s.objectives, Shared: s.shared(),
		Rules: metrics.Rules{
			NoTokens: noTokens, Tokenizer: s.tokenizer != "", GPUs: s.gpus, Servers: s.about.URLs,
		},
		Forget: s.wire.ForgetPrompts, Begun: s.begun, Share: s.share, Start: s.start,
	}
	first, err := s.try(ctx, &settings)
	if err != nil {
		return ofAsk(ctx, err)
	}
	if err := s.first(first, noTokens); err != nil {
		return err
	}
	if first.Found == metrics.OK {
		settings.Latency = time.Duration(first.Done() - first.Sent)
	}
	if err := s.lessTemplate(ctx, &settings, first); err != nil {
		return err
	}
	s.sources, err = beside.Find(ctx, s.about.URLs[0], s.serverMetrics, s.gpuMetrics, s.meter)
	if err != nil {
		return err
	}
	s.sources.Root = s.Root
	settings.Record = s.record() // with what was found
	s.sweep = &sweep.Sweep{
		Settings: settings, Loads: s.loads, Auto: s.request.sweep, Find: s.search, Base: s.base, File: s.file(),
	}
	return nil
}

// sayAfter is how long the first answer takes before a line says that it is waited for.
const sayAfter = time.Second

// try asks for one answer, and says so where it takes long.
func (s *session) try(ctx context.Context, settings *sweep.Settings) (metrics.Measured, error) {
	answered := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		select {
		case <-answered:
		case <-time.After(sayAfter):
			s.Note(fmt.Sprintf("asking once before the measurement, %s at most: no whole answer yet",
				figure.Seconds(s.longest())))
		}
	})
	m, err := settings.Try(ctx, s.longest())
	close(answered)
	saying.Wait()
	return m, err
}

// longest is how long the first request may take: as long as a point that a duration ends.
func (s *session) longest() time.Duration {
	lasts := s.base.Duration
	for _, p := range s.loads {
		lasts = max(lasts, p.Duration, p.StagesLast())
	}
	return cmp.Or(lasts, arrival.DefaultDuration) + s.grace
}

// ofAsk is the class of a fault of writing requests.
func ofAsk(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, openai.ErrPrompt), errors.Is(err, backend.ErrOption):
		return sdk.Usage(err)
	}
	return exitcode.OrData(err)
}

// first looks at the first answer. A server that refuses the request is one that cannot be measured so; one that fails,
// fails for now.
func (s *session) first(m metrics.Measured, noTokens bool) error {
	switch m.Found {
	case metrics.OK:
	case status(http.StatusBadRequest), status(http.StatusUnprocessableEntity),
		status(http.StatusRequestEntityTooLarge):
		return sdk.Usage(fmt.Errorf("the server refuses the request: %s", m.Fault))
	case status(http.StatusUnauthorized), status(http.StatusForbidden), status(http.StatusNotFound),
		status(http.StatusMethodNotAllowed), status(http.StatusNotImplemented), metrics.Refused:
		return sdk.Data(fmt.Errorf("%s: %s", s.set.API.Endpoint(), m.Fault))
	case metrics.Cancelled:
		return nil
	case metrics.Unfinished:
		s.note(fmt.Sprintf("the first request was asked once, and had no whole answer within %s: nothing is known of how "+
			"long one takes", figure.Seconds(s.longest())))
		return nil
	default:
		text := strings.TrimSpace(fmt.Sprintf("the first request failed: %s: %s", m.Found, m.Fault))
		s.note(strings.TrimSuffix(text, ":"))
		return nil
	}
	switch {
	case noTokens:
	case m.By == metrics.Uncounted:
		s.note("the server counts no tokens of answers (neither ids nor a usage record): tokens are not measured, times " +
			"are; --tokenizer FILE counts them")
	case m.Request.Whole && s.stream == "on":
		s.note("the server does not stream: only whole answers are timed")
	}
	return nil
}

// status is that of a request which a server answered with another status than 200.
func status(code int) metrics.Status { return metrics.Status(fmt.Sprintf("http_%d", code)) }

func (s *session) note(text string) { s.notes = append(s.notes, text) }

// record is what the records of all points have.
func (s *session) record() record.Run {
	server := record.ServingServer{
		URLs: s.about.URLs, Kind: s.about.Kind, Version: s.about.Version, Model: s.about.Model, MaxLength: s.about.MaxLength,
	}
	r := record.Run{
		Identity: s.identity, Model: s.about.Model, Command: s.CommandLine(),
		System: system.Describe(s.Root), Harness: shell.Version(), Stated: record.Stated{Note: s.request.outFlags.note},
		Serving: &record.Serving{Server: server, Asked: record.ServingAsked{
			API: string(s.set.API), Data: s.File, ISL: s.ISL, OSL: s.OSL, Prefix: s.Prefix, Whole: s.stream == "off",
			Seed: s.Options.Seed,
		}},
	}
	for _, note := range s.notes {
		r.Notes = append(r.Notes, record.Finding{About: "data", Text: note})
	}
	return r
}

// file is the sweep before its first point.
func (s *session) file() *sweepfile.Sweep {
	r := s.record()
	return &sweepfile.Sweep{
		Label: s.label, Command: r.Command, Loads: s.loadText(), Flags: s.flags, Objectives: s.objectives.String(),
		Server: r.Serving.Server, Asked: r.Serving.Asked, Share: s.shareFile(),
	}
}

// goOn takes over the points of a sweep that was cut off, and says so.
func (s *session) goOn(folder *sweep.Folder, earlier *sweepfile.Sweep) {
	n, lost := s.sweep.GoOn(earlier)
	if s.json {
		return
	}
	for _, text := range lost {
		fmt.Fprintf(s.Stdout, "%s: %s\n", folder.Dir, text)
	}
	if n == 0 {
		return
	}
	is := "are"
	if n == 1 {
		is = "is"
	}
	fmt.Fprintf(s.Stdout, "%s: %s %s there, and not measured again\n", folder.Dir, figure.Plural(n, "point"), is)
}

// extra writes what more there is of a point: its requests as a table, its gaps, and what other tools would write.
func (s *session) extra(dir string, p *sweep.Point) error {
	run := p.Record.Name()
	for name, write := range map[string]func(io.Writer, []metrics.Request, metrics.Rules, string) error{
		requests.ParquetName: queries.WriteRequests, requests.GapsName: queries.WriteGaps,
	} {
		err := wholefile.WriteBy(filepath.Join(dir, name), 0o644, func(w io.Writer) error {
			pieces := bufio.NewWriterSize(w, 1<<16)
			return errors.Join(write(pieces, p.Requests, p.Rules, run), pieces.Flush())
		})
		if err != nil {
			return err
		}
	}
	return s.others(dir, p)
}

// others writes a point as other tools do.
func (s *session) others(dir string, p *sweep.Point) error {
	if len(s.also) == 0 {
		return nil
	}
	v := shell.Version()
	run := formats.Run{
		Requests: p.Requests, Rules: p.Rules, Load: p.Load, WarmUp: p.WarmUp, Grace: s.grace, API: s.set.API,
		Stream: s.stream == "on", Model: s.about.Model, Tokenizer: s.tokenizer, Servers: s.about.URLs, Kind: s.about.Kind,
		Label: s.label, Version: v.Version, Commit: v.Commit, Began: p.Began,
		Data:        formats.Data{Name: filepath.Base(s.File), Path: s.File, Columns: s.Columns},
		Interrupted: p.Record.Status == record.Interrupted,
	}
	if s.File == "" {
		run.Data.Name = "random"
	}
	run.MaxTokens, run.Fields = s.mostTokens(p.Requests), s.fields()
	notes, err := writeLayouts(dir, s.also, run)
	for _, note := range notes {
		p.Record.Notes = append(p.Record.Notes, record.Finding{About: "also", Text: note})
	}
	return err
}

// mostTokens is the most tokens of an answer that requests asked for; 0: one at least was left to the server, or nobody
// knows.
func (s *session) mostTokens(all []metrics.Request) (most int) {
	fields := s.fields()
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, err := strconv.Atoi(fields[name]); err == nil && n > 0 {
			return n
		}
	}
	for i := range all {
		if all[i].AskedOut < 1 {
			return 0
		}
		most = max(most, int(all[i].AskedOut))
	}
	return most
}

// fields are those of every request's body: the user's, and the temperature, which is 0 where nobody says otherwise.
func (s *session) fields() map[string]string {
	fields := map[string]string{"temperature": "0"}
	for _, pair := range s.Options.Body {
		if name, value, ok := strings.Cut(pair, "="); ok {
			fields[name] = value
		}
	}
	return fields
}

// run measures, and prints what was measured, also where something ended it.
func (s *session) run(ctx context.Context) error {
	err := s.sweep.Run(ctx)
	if errors.Is(err, engine.ErrLate) {
		err = sdk.Usage(fmt.Errorf("--start-at %s: %w; give all shares a later one", s.startAt, err))
	}
	return s.finish(ofServer(err))
}

// ofServer is the class of a server that fails.
func ofServer(err error) error {
	if errors.Is(err, sweep.ErrServer) {
		return plugin.Fault(err)
	}
	return err
}

// finish keeps and prints what was measured, and says what it comes to, where nothing ended it before: err.
func (s *session) finish(err error) error {
	f := s.sweep.File
	if len(f.Points) == 0 {
		return err
	}
	f.ExitCode = int(exitcode.Of(err))
	outcome := s.outcome()
	if err == nil {
		f.ExitCode = int(exitcode.Of(outcome))
	}
	f.Outcome = exitcode.Code(f.ExitCode).String()
	if e := s.sweep.Folder.Save(f); err == nil {
		err = e
	}
	if e := s.page(); err == nil {
		err = e
	}
	if e := s.print(); err == nil {
		err = e
	}
	if len(s.conditions) == 0 || err != nil && exitcode.Of(err) != exitcode.Plugin {
		return cmp.Or(err, outcome)
	}
	met := s.FailIf(s.conditions, failif.Runs(f.Points), s.json)
	if exitcode.Of(met) == exitcode.Usage {
		return errors.Join(met, err)
	}
	return cmp.Or(err, met, outcome)
}

// outcome is that of a sweep that came to its end: where there are objectives, one point at least keeps them.
func (s *session) outcome() error {
	f := s.sweep.File
	if s.share.Of > 0 {
		return nil // merged shares are judged
	}
	if f.Find != nil {
		return ofSearch(search.Ended(f.Find.Ended))
	}
	held := slices.ContainsFunc(f.Points, func(r record.Run) bool { return r.Serving.Holds != nil && *r.Serving.Holds })
	if s.objectives.Judges() && !held {
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return nil
}

// ofSearch is the outcome of a search that came to its end.
func ofSearch(ended search.Ended) error {
	switch ended {
	case search.ByServer, search.ByMost:
		return nil
	case search.ByClient:
		return &exitcode.Outcome{Code: exitcode.Client}
	case search.ByFew:
		return &exitcode.Outcome{Code: exitcode.Few}
	}
	return &exitcode.Outcome{Code: exitcode.Invalid}
}

// PageName is the file of the page that shows a sweep.
const PageName = "index.html"

// page writes the page of the sweep.
func (s *session) page() error {
	dir := s.sweep.Folder.Dir
	var set results.Set
	for _, r := range s.sweep.File.InOrder() {
		r.Dir = filepath.ToSlash(r.Dir)
		set.Runs = append(set.Runs, results.Found{Run: r, Out: dir, File: filepath.Join(dir, r.Dir, record.FileName)})
	}
	var b bytes.Buffer
	report := page.Report{Set: set, Conclusion: s.sweep.File.Conclusion(), Version: shell.Version().Version}
	if err := report.WriteHTML(&b); err != nil {
		return err
	}
	return sdk.Usage(wholefile.Write(filepath.Join(dir, PageName), b.Bytes(), 0o644))
}

// print prints the sweep: as a table, or for programs.
func (s *session) print() error {
	f := s.sweep.File
	if s.json && s.inSuite {
		return nil
	}
	if s.json {
		text, err := f.JSON()
		if err != nil {
			return err
		}
		_, err = s.Data.Write(text)
		return err
	}
	return writeSweep(s.Stdout, f, s.sweep.Folder.Dir, s.set.API)
}
