package workspace

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/sdk"
)

const initHelp = `Begin a submission: create a folder, the workspace, for runs and texts. The command asks no questions.
It describes this machine from the system's own information and marks fields that a person must fill in as FILL IN. If
you run it again, it adds new facts and keeps your edits.

  harness submission init --submitter Lab --system box --system-type edge
  harness submission init --system bigbox --system-type datacenter     describe another system

  submission.json           the submitter and the runs (harness submission add)
  systems/SYSTEM.json       the system's description
  measurements.json         how the models were made, if a run does not record it;
                            measurements/BENCHMARK.json is for one benchmark
  calibration.md, src/      your files, copied to the tree unchanged

For a submission to MLPerf Endpoints use --rules endpoints-1.0 (docs/endpoints.md).`

// initFlags contains the flags of submission init.
type initFlags struct {
	assemble.InitOptions
	rules, submission, node string   // for a submission to MLPerf Endpoints
	ssh                     []string // hosts of the node type; empty: this machine
}

func (a *app) initCommand() *cobra.Command {
	var dir string
	var o initFlags
	c := &cobra.Command{
		Use: "init", Short: "Begin a submission: describe this machine, mark fields to fill in",
		Long: initHelp, Args: shell.RejectArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if isEndpointsWorkspace(dir, o.rules) {
				return a.initEndpoints(c.Context(), dir, &o, c.Flags())
			}
			if given := shell.FirstChanged(c, "rules", "submission-id", "node", "ssh"); given != "" {
				return sdk.Usage(fmt.Errorf("--%s goes with --rules %s only", given, endpoints.NewestRules().Name))
			}
			return a.initWorkspace(c.Context(), dir, o.InitOptions)
		},
	}
	runs.AddWorkspaceFlag(c, &dir)
	flags := c.Flags()
	flags.StringVar(&o.Submitter, "submitter", "", "`NAME` of your organisation's folder")
	flags.StringVar(&o.Division, "division", "", "closed, open or network (default closed)")
	flags.StringVar(&o.System, "system", "", "`NAME` of this system's folder (default: system)")
	name := endpoints.NewestRules().Name
	flags.StringVar(&o.rules, "rules", "", name+" for a submission to MLPerf Endpoints (default: MLPerf Inference)")
	flags.StringVar(&o.submission, "submission-id", "",
		"with --rules "+name+": `ID` of the submission, once known")
	flags.StringVar(&o.node, "node", "", "with --rules "+name+": `KIND` of node of this machine (default node)")
	flags.StringSliceVar(&o.ssh, "ssh", nil,
		"with --rules "+name+": describe `HOST,...`, equal nodes, through ssh (default: this machine)")
	flags.StringVar(&o.SystemType, "system-type", "", "edge, datacenter, or datacenter,edge")
	return c
}

func (a *app) initWorkspace(ctx context.Context, dir string, o assemble.InitOptions) error {
	done, err := assemble.InitWorkspace(dir, o, system.ProbeMachine(ctx, system.Machine{Root: a.Root, Run: runProgram}))
	if err != nil {
		return sdk.Usage(err)
	}
	for _, name := range done.Written {
		fmt.Fprintln(a.Stdout, filepath.Join(dir, name))
	}
	return listUnfilled(a.Stdout, dir, done.OpenFields)
}

// maxProbeTime is the time limit of a program that describes devices.
const maxProbeTime = 20 * time.Second

// runProgram returns the output of a program.
func runProgram(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxProbeTime)
	defer cancel()
	return exec.CommandContext(ctx, name, args...).Output()
}

// listUnfilled lists the texts that a person must still write.
func listUnfilled(w io.Writer, dir string, open []assemble.Unfilled) error {
	if len(open) == 0 {
		_, err := fmt.Fprintln(w, "\neverything is filled in")
		return err
	}
	fmt.Fprintf(w, "\nto be filled in, %s:\n", figure.Plural(len(open), "field"))
	for _, u := range open {
		if _, err := fmt.Fprintf(w, "  %s  %s: %s\n", filepath.Join(dir, u.File), u.Field, u.Ask); err != nil {
			return err
		}
	}
	return nil
}
