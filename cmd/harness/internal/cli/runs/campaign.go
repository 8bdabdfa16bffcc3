package runs

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
	"github.com/plumbline-ml/plumbline/sdk"
)

// NewCampaign prepares the runs of a model. It prints them like harness run.
func NewCampaign(of *shell.App, c *cobra.Command, r *Flags) (s *campaign.Campaign, m campaign.Model, err error) {
	a := &app{of}
	if r.Rules.Audit != "" || r.Load.Mode != "" {
		return nil, m, sdk.Usage(errors.New("--audit and --mode: the test has its own"))
	}
	if err := rejectStrayAudit(""); err != nil {
		return nil, m, err
	}
	if err := r.Goal.ApplyGoal(c, &r.Request); err != nil {
		return nil, m, sdk.Usage(err)
	}
	r.Output.Dir = cmp.Or(r.Output.Dir, defaultOutDir)
	if r.Plugins.Catalog == nil { // one catalog for all plans of the campaign
		if r.Plugins.Catalog, err = a.Catalog(c, r.PluginFlags); err != nil {
			return nil, m, err
		}
	}
	printed := &runSession{app: a, flags: r}
	r.Output.Watch = printed.newWatch()
	request, err := a.CompleteRequest(c.Context(), r.PluginFlags, r.Request)
	if err != nil {
		return nil, m, err
	}
	s = &campaign.Campaign{Request: request, Run: printed.makeRuns, OnKept: printed.printRow}
	m, err = s.FindModel(c.Context())
	return s, m, err
}

// defaultOutDir is the default folder of runs and audits.
const defaultOutDir = "out"

// makeRuns runs a plan of a campaign.
func (s *runSession) makeRuns(ctx context.Context, p *bench.Plan) (record.Document, error) {
	s.plan = p
	defer s.MarkClosed()
	return p.Run(ctx)
}
