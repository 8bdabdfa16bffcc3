package curves

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/sdk"
)

const planHelp = `Plan the points of an MLPerf Endpoints curve, or check an edited plan.

  harness submission plan --model gpt-oss-120b --c-max 512 --out plan.yaml
  harness submission plan --check plan.yaml
  harness submission plan plan.yaml --client-configs configs

A new plan has one point with an accuracy run in each region, free points between them, and Offline (except for
agentic models). Without --c-max the server is measured with increasing numbers of users:

  harness submission plan http://HOST:8000 --model gpt-oss-120b --out plan.yaml

docs/endpoints.md explains how points are chosen.`

// planFlags contains the flags of submission plan.
type planFlags struct {
	o                   plan.Options
	check, out, configs string

	probe      time.Duration // time per number of users when a server is probed
	data, url  string
	connection bench.Request
}

// PlanCommand returns harness submission plan.
func PlanCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &planFlags{}
	c := &cobra.Command{
		Use: "plan [PLAN|URL]", Short: "Plan the points of a curve of MLPerf Endpoints, or check a plan", Long: planHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return sdk.Usage(fmt.Errorf("want one plan, found %d arguments", len(args)))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && isURL(args[0]) {
				if err := a.probeServer(c, f, args[0]); err != nil {
					return err
				}
				args = nil
			}
			p, err := f.readPlan(c.Flags(), args)
			if err != nil {
				return sdk.Usage(err)
			}
			return a.showPlan(p, f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.o.Model, "model", "", "`NAME` of the model in the rules")
	flags.IntVar(&f.o.CMax, "c-max", 0, "highest concurrency `N` that the system supports")
	flags.IntVar(&f.o.CMin, "c-min", 0, "lowest concurrency `N` of the curve, 1 to 32 (default 1)")
	flags.IntVar(&f.o.Points, "points", 0, "number `N` of points (default the minimum of the rules)")
	flags.StringVar(&f.o.Offline, "offline", "",
		"`HOW` to make the Offline point: dedicated (a separate run) or elected (the point of C_max)"+
			" (default dedicated if the performance set has more samples than C_max)")
	flags.StringVar(&f.o.Cohort, "cohort", "", "the target `COHORT` (default the last one allowed for the seed set)")
	flags.DurationVar(&f.probe, "probe", defaultProbeTime, "time to measure the server with each number of users")
	flags.StringVar(&f.data, "data", "", "performance set for the server: `FILE` (default generated words)")
	shell.AddFlags(flags, &f.connection, "backend-opt", "backend-secret")
	flags.StringVar(&f.check, "check", "", "check the plan in `FILE`")
	flags.StringVar(&f.out, "out", "", "write the plan to `FILE`")
	flags.StringVar(&f.configs, "client-configs", "", "write the official client's configuration of each point to `DIR`")
	return c
}

// readPlan returns the plan in a file, or a new one.
func (f *planFlags) readPlan(flags *pflag.FlagSet, args []string) (*plan.Plan, error) {
	if len(args) == 1 && f.check != "" {
		return nil, errors.New("want one plan: --check or an argument")
	}
	file := strings.Join(args, "") + f.check
	if len(args) == 1 || flags.Changed("check") {
		for _, name := range []string{"model", "c-max", "c-min", "points", "offline", "cohort", "out"} {
			if flags.Changed(name) {
				return nil, fmt.Errorf("--%s does not go with a plan that is there: edit the plan", name)
			}
		}
		return plan.ReadPlan(file)
	}
	switch {
	case !flags.Changed("model"):
		return nil, errors.New("want --model, or the file of a plan")
	case f.o.CMax == 0 && !flags.Changed("c-max"):
		return nil, errors.New("want --c-max, a server's address, or the file of a plan")
	}
	for name, value := range map[string]int{"c-min": f.o.CMin, "points": f.o.Points} {
		if flags.Changed(name) && value < 1 {
			return nil, fmt.Errorf("--%s is %d, want at least 1", name, value)
		}
	}
	p, err := plan.ChoosePlan(f.o, endpoints.NewestRules())
	if err == nil && f.url != "" {
		p.Client.Endpoint = f.url
		p.Client.PerformanceSet = cmp.Or(f.data, p.Client.PerformanceSet)
	}
	return p, err
}

// showPlan checks a plan, prints it, and writes the requested files.
func (a *app) showPlan(p *plan.Plan, f *planFlags) error {
	rules := endpoints.NewestRules()
	findings := plan.JudgePlan(p, rules)
	for _, finding := range findings {
		fmt.Fprintln(a.Stdout, finding)
	}
	if slices.ContainsFunc(findings, func(f plan.Finding) bool { return !f.Warning }) {
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	files, err := planFiles(p, f, rules)
	if err != nil {
		return sdk.Usage(err)
	}
	if err := WritePlan(a.Stdout, p, rules); err != nil {
		return err
	}
	if err := createFiles(files); err != nil {
		return sdk.Usage(err)
	}
	if keys := p.Client.Unfilled(); f.configs != "" && len(keys) > 0 {
		fmt.Fprintf(a.Stderr, "the configurations are not whole: fill in %s of the plan, or what stands for them there\n",
			strings.Join(keys, ", "))
	}
	return nil
}

// newFile is a file to create.
type newFile struct {
	path string
	text []byte
}

// planFiles returns the files to create. It returns an error for an existing file, which somebody may have edited.
func planFiles(p *plan.Plan, f *planFlags, rules *endpoints.Rules) (files []newFile, err error) {
	if f.out != "" {
		text, err := p.YAML()
		if err != nil {
			return nil, err
		}
		files = append(files, newFile{f.out, text})
	}
	for _, q := range p.Points {
		if f.configs == "" {
			break
		}
		text, err := p.ClientConfig(q, rules)
		if err != nil {
			return nil, err
		}
		files = append(files, newFile{filepath.Join(f.configs, q.Name()+".yaml"), text})
	}
	for _, one := range files {
		if _, err := os.Lstat(one.path); err == nil {
			return nil, fmt.Errorf("%s is there already: move it away, or name another place", one.path)
		}
	}
	return files, nil
}

func createFiles(files []newFile) error {
	for _, one := range files {
		if err := os.MkdirAll(filepath.Dir(one.path), 0o755); err != nil {
			return err
		}
		to, err := os.OpenFile(one.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = to.Write(one.text)
		if err = errors.Join(err, to.Close()); err != nil {
			return err
		}
	}
	return nil
}

// WritePlan prints the regions, the points with the requirements of each, and the total requirements.
func WritePlan(w io.Writer, p *plan.Plan, rules *endpoints.Rules) error {
	regions, err := p.Regions(rules)
	if err != nil {
		return err
	}
	seeds := rules.SeedSetOf(p.SeedSet)
	fmt.Fprintf(w, "%s, C_max %d, %s, for the cohort %s\n", p.Model, p.CMax, p.Rules, p.Cohort)
	fmt.Fprintf(w, "seed set %s: scheduler_rng_seed %d, sample_index_rng_seed %d, model_seed %d\n\n", seeds.ID,
		seeds.Scheduler, seeds.SampleIndex, seeds.Model)
	var t table.Table
	t.Head("region", "concurrencies")
	for _, r := range append([]endpoints.Region{endpoints.UltraLow}, endpoints.RegionNames()...) {
		t.Row(r, regions.Bounds(r))
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	points := table.Table{RightAligned: []int{2, 3, 4, 5, 6}}
	points.Head("point", "region", "window", "passes", p.Unit(rules), "time", "up to", "accuracy", "why")
	for _, q := range p.Points {
		need := p.NeedsOf(q, rules)
		window, least, rate, accuracy := "-", "unknown", "-", "-"
		if need.MinTime > 0 {
			window = fmt.Sprintf("%d s", q.WindowSeconds)
			least, rate = figure.Seconds(need.MinTime), figure.Short(need.MaxRate)+"/s"
		}
		if q.Accuracy {
			accuracy = "yes"
		}
		points.Row(q.Name(), q.Region, window, q.Passes, need.Queries, least, rate, accuracy, q.Why)
	}
	if _, err := points.WriteTo(w); err != nil {
		return err
	}
	return writeTotal(w, p, rules)
}

// writeTotal prints the minimum time of all points, and what it excludes.
func writeTotal(w io.Writer, p *plan.Plan, rules *endpoints.Rules) error {
	least, concurrent := p.TotalNeeds(rules)
	longest := slices.MaxFunc(p.Points, func(a, b plan.Point) int {
		return cmp.Compare(p.NeedsOf(a, rules).LatencyMultiple, p.NeedsOf(b, rules).LatencyMultiple)
	})
	long := p.NeedsOf(longest, rules).LatencyMultiple
	_, err := fmt.Fprintf(w, `
At least %s in all: the windows, plus one cropped pass for each window that must be found.
A server that does fewer %s than "up to" takes longer. With a mean latency of 1 s at all points, the
passes alone take %s; %s takes %s of that.
A server that does more ends its passes before the window: raise "passes" of that point in the plan.
Accuracy runs, warm-up and a separate Offline run come on top; their time depends on the server.
`, figure.Seconds(least), p.Unit(rules), formatSeconds(concurrent), longest.Name(), formatSeconds(long))
	return err
}

func formatSeconds(s float64) string { return figure.Seconds(time.Duration(s * float64(time.Second))) }
