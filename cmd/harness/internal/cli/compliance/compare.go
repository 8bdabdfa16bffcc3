package compliance

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
)

const auditSeedsHelp = `Repeat the performance run of each scenario with new seeds, and compare it with the run in
--out. A score that is worse by more than 5 % fails (20 % for latencies below 0.2 ms, or 1.6 ms for a query of
MultiStream).

  harness audit seeds resnet50 --out out --seeds 11,12,13`

func (a *app) auditSeedsCommand(f *shell.PluginFlags) *cobra.Command {
	r := &runs.Flags{PluginFlags: f}
	var seeds string
	c := &cobra.Command{
		Use: "seeds MODEL", Short: "Compare with runs of other seeds", Long: auditSeedsHelp,
		Args:    shell.RequireOneArgument("a model's name (harness list shows them)"),
		PreRunE: func(*cobra.Command, []string) error { return a.RestrictPlugins(f) },
		RunE: func(c *cobra.Command, args []string) error {
			other, err := campaign.ParseSeeds(seeds)
			if err != nil {
				return sdk.Usage(err)
			}
			r.Model.Name = args[0]
			s, m, err := runs.NewCampaign(a.App, c, r)
			if err != nil {
				return err
			}
			pairs := make([]campaign.RunPair, len(m.Scenarios))
			for i, scenario := range m.Scenarios {
				pairs[i] = campaign.SeedsPair(scenario,
					other)
			}
			return a.runComparisons(c, r, s, pairs)
		},
	}
	c.Flags().StringVar(&seeds, "seeds", "", "seeds `Q,S,C` of the QSL, the sample index and the schedule (required)")
	AddRunFlags(c, r)
	return c
}

const auditDatasetHelp = `Repeat the performance and accuracy runs of each scenario on your own data set (--dataset),
and compare them with the runs in --out on --original. A system that knows the official data is slower or less accurate
on other data. A score that is worse by more than 5 %, or an accuracy that is lower by more than 1 % of it, fails.

  harness audit dataset resnet50 --out out --original imagenet --dataset other-pictures`

func (a *app) auditDatasetCommand(f *shell.PluginFlags) *cobra.Command {
	r := &runs.Flags{PluginFlags: f}
	var original string
	c := &cobra.Command{
		Use: "dataset MODEL", Short: "Compare with runs on another data set", Long: auditDatasetHelp,
		Args:    shell.RequireOneArgument("a model's name (harness list shows them)"),
		PreRunE: func(*cobra.Command, []string) error { return a.RestrictPlugins(f) },
		RunE: func(c *cobra.Command, args []string) error {
			custom := r.Data.Path
			if custom == "" {
				return sdk.Usage(errors.New("--dataset: name the data set to compare with"))
			}
			r.Model.Name, r.Data.Path = args[0], original
			return a.compareDatasets(c, r, custom)
		},
	}
	AddRunFlags(c, r)
	c.Flags().StringVar(&original, "original", "",
		"`PATH` of the data set of the runs in --out (default: the plugin's own)")
	return c
}

func (a *app) compareDatasets(c *cobra.Command, r *runs.Flags, custom string) error {
	s, m, err := runs.NewCampaign(a.App, c, r)
	if err != nil {
		return err
	}
	var pairs []campaign.RunPair
	for _, scenario := range m.Scenarios {
		for _, mode := range []string{bench.ModePerformance, bench.ModeAccuracy} {
			pairs = append(pairs, campaign.DatasetPair(scenario, mode, custom))
		}
	}
	return a.runComparisons(c, r, s, pairs)
}

// runComparisons runs comparisons and prints them.
func (a *app) runComparisons(c *cobra.Command, r *runs.Flags, s *campaign.Campaign, pairs []campaign.RunPair) error {
	defer a.BeginSeveral()()
	return runs.RunObserved(a.App, c.Context(), r, func() error {
		var outcome shell.RunOutcomes
		outcome.Fault(s.ComparePairs(c.Context(), pairs, func(o campaign.Comparison, err error) {
			AddVerdict(&outcome, err, audit.Verdict{Pass: o.Pass})
			if err == nil {
				a.writeComparison(o)
			}
		}))
		return outcome.Err()
	})
}

func (a *app) writeComparison(o campaign.Comparison) {
	writeTestRow(a.App, o.Scenario, o.Other.Test, o.Pass, o.Other.Mode)
	for _, text := range append(o.Reasons, o.Notes...) {
		fmt.Fprintf(a.Stdout, "    %s\n", text)
	}
}
