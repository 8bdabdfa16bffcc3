package serving

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

const mergeHelp = `Merge the records of a load's shares, as if one client had sent the load.

  harness bench URL --concurrency 64 --shard 0/4 --start-at TIME    on one machine, 1/4 to 3/4 on others
  harness bench merge share-*-of-4                                  after their folders were copied to one place

Figures are computed from all requests with their own times. The command refuses missing and repeated shares, and shares
of another seed, load, version, model or server. The result states by how much the machines' clocks may have differed
and how that affects rates. docs/serving.md

Exit codes: 0 merged, 2 usage, 3 --slo of the shares is not met, or --fail-if is met, 6 the shares do not match.`

// mergeFlags contains the flags of bench merge.
type mergeFlags struct {
	outFlags
	gpus    int
	price   hourPrice
	failIfs []string
}

// mergeCommand returns harness bench merge.
func (a *app) mergeCommand() *cobra.Command {
	f := &mergeFlags{}
	c := &cobra.Command{
		Use: "merge DIR...", Short: "Merge the records of a load's shares", Long: mergeHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("the folders of shares are missing; see harness bench merge --help")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.mergeShares(c, f, args) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	addGPUsFlag(flags, &f.gpus)
	addPriceFlag(flags, &f.price)
	shell.AddFailIfFlag(flags, &f.failIfs, "'ttft.p99 > 500ms',\n'goodput < 5'; repeatable")
	f.addKept(flags, "bench-1, or bench-2, ... if that contains another one")
	return c
}

// mergeShares merges the records of shares.
func (a *app) mergeShares(c *cobra.Command, f *mergeFlags, dirs []string) error {
	if err := shell.CheckNumbers(c.Flags()); err != nil {
		return sdk.Usage(err)
	}
	all, err := sweep.ReadShares(dirs)
	if err != nil {
		return sdk.Data(err)
	}
	r, err := f.newRequest(all[0].File)
	if err != nil {
		return err
	}
	s := f.newSession(a, r, all[0].File)
	settings := s.judgingSettings(all[0].Record())
	point, shares, err := settings.JoinShares(all, r.loads[0])
	if err != nil {
		return sdk.Data(err)
	}
	s.sweep.File.Shares = shares
	folder, _, err := sweep.OpenFolder(f.out, f.force, s.sweep.File.Flags)
	if err != nil {
		return err
	}
	defer folder.Close()
	folder.WriteExtra = s.writeExtras
	s.sweep.Folder = folder
	if err := folder.SavePoint(sweep.PointFolderName(r.loads[0]), point); err != nil {
		return err
	}
	s.sweep.File.Points, s.sweep.File.Complete = []record.Run{point.Record}, true
	s.sweep.File.JudgePoints()
	return s.finishSweep(serving.OfServer(sweep.CheckServer(s.sweep.File)))
}

// ignoredByMerge lists flags of shares without an effect on the merged result.
var ignoredByMerge = []string{"--shard", "--start-at", "--header", "--body", "--tools", "--backend-opt"}

// newRequest returns the request of the shares with the flags of merge.
func (f *mergeFlags) newRequest(share *sweepfile.Sweep) (*benchRequest, error) {
	b := &benchFlags{}
	asked := &cobra.Command{}
	b.addFlags(asked.Flags())
	var given []string
	for _, flag := range share.Flags {
		name, _, _ := strings.Cut(flag, "=")
		if strings.HasPrefix(name, "--") && !slices.Contains(ignoredByMerge, name) {
			given = append(given, flag)
		}
	}
	if err := asked.Flags().Parse(given); err != nil {
		return nil, sdk.Data(fmt.Errorf("the flags that the shares were given: %w", err))
	}
	label := f.label
	b.outFlags, b.failIfs, b.gpus, b.price = f.outFlags, f.failIfs, f.gpus, f.price
	b.label = cmp.Or(label, share.Label)
	r, err := b.readFlags(asked)
	if err != nil {
		return nil, err
	}
	if err := r.checkConditions(share.Server.Model); err != nil {
		return nil, err
	}
	if len(r.loads) != 1 {
		return nil, sdk.Data(fmt.Errorf("the shares were given %d loads, want one", len(r.loads)))
	}
	r.flags = []string{}
	for _, flag := range share.Flags {
		if name, _, _ := strings.Cut(flag, "="); name != "--shard" {
			r.flags = append(r.flags, flag)
		}
	}
	return r, nil
}

// newSession returns the merged measurement of all shares.
func (f *mergeFlags) newSession(a *app, r *benchRequest, share *sweepfile.Sweep) *benchSession {
	s := &benchSession{
		app: a, benchRequest: r, set: &prompts.PromptSet{API: prompts.API(share.Asked.API)},
		server: openai.ServerInfo{
			URLs: share.Server.URLs, Kind: share.Server.Kind, Version: share.Server.Version, Model: share.Server.Model,
			MaxLength: share.Server.MaxLength,
		},
	}
	file := *share
	file.Share, file.Points, file.Ended, file.ExitCode = nil, nil, "", 0
	file.Label, file.Command, file.Flags = r.label, a.CommandLine(), r.flags
	s.sweep = &sweep.Sweep{File: &file}
	return s
}

// judgingSettings returns the settings for judging the whole load, which are those of a single share.
func (s *benchSession) judgingSettings(first *record.Run) *sweep.PointSettings {
	plan, noTokens := s.toPlan(), s.set.API == prompts.Embeddings || s.set.API == prompts.Rerank
	r := *first
	r.Identity.Label, r.Command, r.Harness = s.label, s.CommandLine(), shell.Version()
	r.Notes, r.Power = nil, nil // a meter on one machine does not measure the whole
	if s.benchRequest.outFlags.note != "" {
		r.Stated.Note = s.benchRequest.outFlags.note
	}
	return &sweep.PointSettings{
		WholeWindow: s.window == "all", Objectives: s.objectives, SharedPrefixes: plan.SharesPrefixes(), Record: r,
		MaxErrors: &s.maxErrors,
		Rules: metrics.FigureRules{
			NoTokens: noTokens, Tokenizer: s.tokenizer != "", GPUs: s.gpus, HourPrice: float64(s.price),
			Servers: s.server.URLs,
		},
	}
}
