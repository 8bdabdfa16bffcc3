package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/config"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/kept"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/shown"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/serving/beside"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/search"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// benchSession is one measurement with harness bench.
type benchSession struct {
	*app
	*benchRequest
	identity record.Identity // identity of its points in results
	inSuite  bool            // the suite prints the JSON of all jobs
	server   openai.ServerInfo
	set      *prompts.PromptSet
	sweep    *sweep.Sweep
	sources  beside.Sources
}

// runBench measures a server according to the flags.
func (a *app) runBench(c *cobra.Command, f *benchFlags) (err error) {
	r, err := a.readRequest(c, f)
	if err != nil {
		return err
	}
	s := &benchSession{app: a, benchRequest: r, identity: record.Identity{Label: f.label}}
	if f.dryRun {
		return s.dryRun()
	}
	return s.measureMissing(c.Context())
}

// readRequest reads the flags into a request and registers their secrets.
func (a *app) readRequest(c *cobra.Command, f *benchFlags) (*benchRequest, error) {
	if config.IsFile(f.address) {
		var err error
		if f.address, err = config.Configure(a.App, c, f.address); err != nil {
			return nil, err
		}
	}
	a.keepSecrets("header.", f.Header)
	a.keepSecrets("body.", f.Body)
	r, err := f.readFlags(c)
	if err != nil {
		return nil, err
	}
	r.flags = append([]string{f.address}, r.flags...)
	return r, nil
}

// measureMissing probes the server and measures the missing points.
func (s *benchSession) measureMissing(ctx context.Context) (err error) {
	wire, err := s.connectServer(ctx, &s.serverFlags)
	if err != nil {
		return err
	}
	defer func() { _ = wire.Close() }() // only reads, so Close loses nothing
	open, err := serving.OpenSession(wire, s.toPlan())
	if err != nil {
		return err
	}
	s.server, s.set = open.About, open.Set
	if err := s.checkConditions(s.server.Model); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.SetOrderly(true)
	defer s.SetOrderly(false)
	if err := s.prepareLoads(ctx, open); err != nil {
		return err
	}
	folder, earlier, err := sweep.OpenFolder(s.benchRequest.outputFolder(), s.force, s.flags)
	if err != nil {
		return err
	}
	defer folder.Close()
	folder.WriteExtra = s.writeExtras
	s.sweep.Folder = folder
	if earlier != nil {
		s.resumeSweep(folder, earlier)
	}
	s.printStart()
	return s.measureAndPrint(ctx)
}

// keepSecrets registers the secrets in request fields, NAME=VALUE, so that all texts hide them.
func (a *app) keepSecrets(prefix string, fields []string) {
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if _, secrets := secret.HideOption(prefix+name, value); len(secrets) > 0 {
			a.Secrets.Add(append(secrets, strings.Trim(value, `"`))...) // the text itself, and without JSON's quotes
		}
	}
}

// prepareLoads sends one request and determines what all points have in common.
func (s *benchSession) prepareLoads(ctx context.Context, open *serving.Session) (err error) {
	if err := open.AskFirst(ctx, s.PrintNote); err != nil {
		return err
	}
	s.set = open.Set
	if s.sources, err = beside.FindSources(ctx, s.server.URLs[0], s.serverMetrics, s.gpuMetrics, s.meter); err != nil {
		return err
	}
	s.sources.Root = s.Root
	r := s.completeRecord(open.BaseRecord()) // with what was found
	open.Settings.Record, open.Settings.OnPointBegin = r, s.showProgress
	open.Settings.Share, open.Settings.Start = s.share, s.start
	file := s.newSweepFile(&r)
	if s.waited > 0 {
		file.ColdStart = &sweepfile.ColdStart{Waited: int64(s.waited), FirstAnswer: int64(open.Settings.Latency)}
	}
	s.sweep = open.NewSweep(file)
	return nil
}

// completeRecord adds the command line's facts to the common record of all points.
func (s *benchSession) completeRecord(r record.Run) record.Run {
	r.Identity, r.Command, r.Harness = s.identity, s.CommandLine(), shell.Version()
	r.System, r.Stated.Note = system.Describe(s.Root), s.benchRequest.outFlags.note
	return r
}

// newSweepFile returns a sweep without points. r is the record of its points.
func (s *benchSession) newSweepFile(r *record.Run) *sweepfile.Sweep {
	return &sweepfile.Sweep{
		Label: s.label, Command: r.Command, Loads: s.loadText(), Flags: s.flags, Objectives: s.objectives.String(),
		Server: r.Serving.Server, Asked: r.Serving.Asked, Share: s.shareFile(),
	}
}

// resumeSweep adopts the points of an interrupted sweep and prints a note.
func (s *benchSession) resumeSweep(folder *sweep.SweepFolder, earlier *sweepfile.Sweep) {
	n, lost := s.sweep.Resume(earlier)
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

// writeExtras writes the additional files of a point: tables of requests and gaps, and other tools' formats.
func (s *benchSession) writeExtras(dir string, p *sweep.SweepPoint) error {
	if err := kept.WriteTables(dir, p); err != nil {
		return err
	}
	return s.writeOtherForms(dir, p)
}

// writeOtherForms writes a point in the formats of other tools.
func (s *benchSession) writeOtherForms(dir string, p *sweep.SweepPoint) error {
	if len(s.also) == 0 {
		return nil
	}
	v := shell.Version()
	run := formats.Run{
		Requests: p.Requests, Rules: p.Rules, Load: p.Load, WarmUp: p.WarmUp, Grace: s.grace, API: s.set.API,
		Stream: s.stream == "on", Model: s.server.Model, Tokenizer: s.tokenizer, Servers: s.server.URLs,
		ServerKind: s.server.Kind,
		Label:      s.label, Version: v.Version, Commit: v.Commit, Began: p.Began,
		Data:        formats.Data{Name: filepath.Base(s.File), Path: s.File, Columns: s.Columns},
		Interrupted: p.Record.Status == record.Interrupted,
	}
	if s.File == "" {
		run.Data.Name = "random"
	}
	run.MaxTokens, run.Fields = s.maxAnswerTokens(p.Requests), s.bodyFields()
	notes, err := kept.WriteFormats(dir, s.also, run)
	for _, note := range notes {
		p.Record.Notes = append(p.Record.Notes, record.Finding{About: "also", Text: note})
	}
	return err
}

// maxAnswerTokens returns the largest token limit in the requests. It returns 0 if the server chose the limit of some
// request, or if the limits are unknown.
func (s *benchSession) maxAnswerTokens(all []metrics.Request) (most int) {
	fields := s.bodyFields()
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

// bodyFields returns the fields of all request bodies: the user's fields, and a temperature of 0 by default.
func (s *benchSession) bodyFields() map[string]string {
	fields := map[string]string{"temperature": "0"}
	for _, pair := range s.PromptOptions.Body {
		if name, value, ok := strings.Cut(pair, "="); ok {
			fields[name] = value
		}
	}
	return fields
}

// measureAndPrint measures the points and prints them, even after an error.
func (s *benchSession) measureAndPrint(ctx context.Context) error {
	err := s.sweep.Run(ctx)
	if errors.Is(err, engine.ErrStartPassed) {
		err = sdk.Usage(fmt.Errorf("--start-at %s: %w; give all shares a later one", s.startAt, err))
	}
	return s.finishSweep(serving.OfServer(err))
}

// finishSweep stores and prints the points. err is the error that ended the sweep, or nil; it returns err or the
// outcome.
func (s *benchSession) finishSweep(err error) error {
	f := s.sweep.File
	if len(f.Points) == 0 {
		return err
	}
	f.ExitCode = int(exitcode.Of(err))
	outcome := s.sweepOutcome()
	if err == nil {
		f.ExitCode = int(exitcode.Of(outcome))
	}
	f.Outcome = exitcode.Code(f.ExitCode).String()
	if e := s.sweep.Folder.SaveSweep(f); err == nil {
		err = e
	}
	if e := kept.WritePage(s.sweep.Folder.Dir, f); err == nil {
		err = e
	}
	if e := s.printSweep(); err == nil {
		err = e
	}
	s.reportPoints()
	if len(s.conditions) == 0 || err != nil && exitcode.Of(err) != exitcode.Plugin {
		return cmp.Or(err, outcome)
	}
	met := s.JudgeConditions(s.conditions, failif.RunSubjects(f.Points), s.json)
	if exitcode.Of(met) == exitcode.Usage {
		return errors.Join(met, err)
	}
	return cmp.Or(err, met, outcome)
}

// reportPoints adds the points to the CI report. A suite reports its own points.
func (s *benchSession) reportPoints() {
	if s.Report == nil || s.inSuite {
		return
	}
	f := s.sweep.File
	s.Report.AddTable("Points", shown.PointTable(f), shown.EndLines(f)...)
	s.Report.AddRuns(f.InOrder())
}

// sweepOutcome returns the outcome of a finished sweep. If there are objectives, at least one point must meet them.
func (s *benchSession) sweepOutcome() error {
	f := s.sweep.File
	if s.share.Of > 0 {
		return nil // only the merged shares are judged
	}
	if f.Find != nil {
		return searchOutcome(search.EndReason(f.Find.Ended))
	}
	held := slices.ContainsFunc(f.Points, func(r record.Run) bool { return r.Serving.Holds != nil && *r.Serving.Holds })
	if s.objectives.HasPointTerms() && !held {
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return nil
}

// searchOutcome returns the outcome of a finished search.
func searchOutcome(ended search.EndReason) error {
	switch ended {
	case search.EndedByServer, search.EndedByMax:
		return nil
	case search.EndedByClient:
		return &exitcode.Outcome{Code: exitcode.Client}
	case search.EndedByFew:
		return &exitcode.Outcome{Code: exitcode.Few}
	}
	return &exitcode.Outcome{Code: exitcode.Invalid}
}

// printSweep prints the sweep as a table or as JSON.
func (s *benchSession) printSweep() error {
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
	return shown.WriteSweep(s.Stdout, f, s.sweep.Folder.Dir, s.set.API)
}
