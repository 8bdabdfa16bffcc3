package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/build"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/sdk"
)

// isEndpointsWorkspace reports whether a workspace is for a submission to MLPerf Endpoints, from the rules or its file.
func isEndpointsWorkspace(dir, rules string) bool {
	return rules == endpoints.NewestRules().Name || build.IsWorkspace(dir)
}

// initEndpoints is submission init for MLPerf Endpoints.
func (a *app) initEndpoints(ctx context.Context, dir string, o *initFlags, flags *pflag.FlagSet) error {
	if err := curves.CheckFlags(flags, "system-type"); err != nil {
		return err
	}
	known, err := a.probeNodes(ctx, o.ssh)
	if err != nil {
		return sdk.Usage(err)
	}
	w, written, err := build.InitWorkspace(dir, build.InitOptions{Organisation: o.Submitter, Submission: o.submission,
		Division: o.Division, System: o.System, Node: o.node}, known, endpoints.NewestRules())
	if err != nil {
		return sdk.Usage(err)
	}
	for _, name := range written {
		fmt.Fprintln(a.Stdout, filepath.Join(dir, name))
	}
	return a.listUnwritten(w)
}

// probeNodes runs the description program on the hosts through ssh, or on this machine if there are none. It returns
// the outputs by host.
func (a *app) probeNodes(ctx context.Context, hosts []string) (map[string]string, error) {
	if len(hosts) == 0 {
		return system.ProbeMachine(ctx, system.Machine{Root: a.Root, Run: runProgram}), nil
	}
	var all []map[string]string
	for _, host := range hosts {
		dir, err := os.MkdirTemp("", "node-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		m, err := system.ReadRemote(ctx, dir, func(ctx context.Context, script string) ([]byte, error) {
			return runProgram(ctx, "ssh", "-o", "BatchMode=yes", "--", host, "cd / && "+script)
		})
		if err != nil {
			return nil, fmt.Errorf("ssh %s: %w", host, describeExit(err))
		}
		all = append(all, system.ProbeMachine(ctx, m))
	}
	return system.JoinNodes(hosts, all)
}

// describeExit adds the last line of a program's error output to its error.
func describeExit(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
	return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
}

// listUnwritten lists the texts that a person must still write.
func (a *app) listUnwritten(w *build.Workspace) error {
	open, err := w.OpenFields()
	if err != nil {
		return sdk.Usage(err)
	}
	return listUnfilled(a.Stdout, w.Dir, open)
}

// addEndpoints adds points to a submission to MLPerf Endpoints.
func (a *app) addEndpoints(ctx context.Context, dir string, folders []string, o assemble.AddOptions,
	flags *pflag.FlagSet) error {
	if err := curves.CheckFlags(flags, "division", "benchmark", "only"); err != nil {
		return err
	}
	return sdk.Usage(build.UpdateWorkspace(ctx, dir, func(w *build.Workspace) error {
		added, err := w.Add(folders, build.AddOptions{System: o.System, Replace: o.Replace, Rehearsal: o.Rehearsal,
			Now: a.Now()}, endpoints.NewestRules())
		if err != nil {
			return err
		}
		for _, p := range added {
			fmt.Fprintf(a.Stdout, "%v  from %s\n", p, p.Dir)
			for _, mark := range p.Marks {
				fmt.Fprintln(a.Stdout, "    marked, not to be submitted: "+mark)
			}
		}
		return a.listUnwritten(w)
	}))
}

// removeEndpoints removes points from a submission to MLPerf Endpoints.
func (a *app) removeEndpoints(ctx context.Context, dir string, names []string) error {
	return sdk.Usage(build.UpdateWorkspace(ctx, dir, func(w *build.Workspace) error {
		removed, err := w.Remove(names)
		for _, p := range removed {
			fmt.Fprintf(a.Stdout, "removed: %v  from %s\n", p, p.Dir)
		}
		return err
	}))
}

// buildEndpoints builds the tree of a submission to MLPerf Endpoints.
func (a *app) buildEndpoints(ctx context.Context, f *buildFlags, flags *pflag.FlagSet) error {
	if err := curves.CheckFlags(flags, "no-infer", "no-low-accuracy"); err != nil {
		return err
	}
	w, err := build.OpenWorkspace(f.workspace)
	if err != nil {
		return sdk.Usage(err)
	}
	p, err := w.NewPlan(endpoints.NewestRules())
	if err != nil {
		return sdk.Usage(err)
	}
	for _, one := range p.Power {
		a.printPower(one)
	}
	if f.dryRun {
		for _, file := range p.Files {
			fmt.Fprintf(a.Stdout, "%s\n    %s\n", file.Path, file.Origin)
		}
		return a.printLacking(p, f.workspace)
	}
	if len(p.OpenFields) > 0 && !f.AllowUnfilled {
		_ = a.printLacking(p, f.workspace)
		return sdk.Usage(fmt.Errorf("%s: fill them in, or give --allow-unfilled",
			figure.Plural(len(p.OpenFields), "field")+" not filled in"))
	}
	defer a.BeginTidying()()
	if _, err := p.Write(ctx, f.out, f.force); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return sdk.Usage(err)
	}
	fmt.Fprintf(a.Stdout, "%s: %s\n", filepath.Join(f.out, filepath.FromSlash(p.Root)),
		figure.Plural(len(p.Files), "file"))
	if err := a.printLacking(p, f.workspace); err != nil {
		return err
	}
	return a.printChecked(filepath.Join(f.out, filepath.FromSlash(p.Root)))
}

// printPower explains the calculation of a system's power.
func (a *app) printPower(p *build.PowerDescription) {
	fmt.Fprintf(a.Stdout, "power of %s\n", p.System)
	for _, line := range p.Lines {
		fmt.Fprintln(a.Stdout, "    "+line)
	}
}

// printLacking lists what is missing, with advice.
func (a *app) printLacking(p *build.Plan, workspace string) error {
	for _, mark := range p.Marks {
		fmt.Fprintln(a.Stdout, "marked, not to be submitted: "+mark)
	}
	for _, text := range p.Missing {
		fmt.Fprintln(a.Stdout, "missing: "+text)
	}
	for _, u := range p.OpenFields {
		fmt.Fprintf(a.Stdout, "not filled in: %s  %s\n", filepath.Join(workspace, u.File), u.OpenField)
	}
	return nil
}

// printChecked prints the findings of the check in a new tree.
func (a *app) printChecked(root string) error {
	report, err := check.Check(root, endpoints.NewestRules())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "harness submission check %s finds %s, %s\n", root,
		figure.Plural(report.Count(check.Error), "error"), figure.Plural(report.Count(check.Warning), "warning"))
	return err
}
