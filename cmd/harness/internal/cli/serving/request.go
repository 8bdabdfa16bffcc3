package serving

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/kept"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/objective"
)

// benchRequest is what flags ask for, read and checked.
type benchRequest struct {
	*benchFlags
	loads      []arrival.Pattern
	base       arrival.Pattern // the rest of a load that a sweep or a search chooses
	search     *sweep.SearchOptions
	objectives objective.Objectives
	maxErrors  engine.MaxErrors
	boundAll   bool // --grace was given: it bounds points that a number of requests ended, too
	conditions []failif.Condition
	share      shard.Share  // the zero value: all is sent here
	start      time.Time    // of all shares
	meter      *power.Meter // nil: none
	flags      []string     // what decides what is measured
}

// readFlags checks the flags by themselves. Its error has all that is wrong with them.
func (f *benchFlags) readFlags(c *cobra.Command) (*benchRequest, error) {
	r := &benchRequest{benchFlags: f, flags: decidingFlags(c), boundAll: c.Flags().Changed("grace")}
	var faults []error
	need := func(err error) { faults = append(faults, err) }
	wrong := func(format string, args ...any) { need(fmt.Errorf(format, args...)) }
	need(r.readLoads())
	need(r.readShare(c, time.Now()))
	if f.File == "" && f.ISL == "" {
		f.ISL, f.OSL = serving.DefaultISL, cmp.Or(f.OSL, serving.DefaultOSL)
	}
	var err error
	if c.Flags().Changed("slo") {
		if r.objectives, err = objective.Parse(f.slo); err != nil {
			wrong("--slo: %w", err)
		}
	}
	if r.maxErrors, err = engine.ParseMaxErrors(f.maxErrors); err != nil {
		wrong("--max-errors %w", err)
	}
	switch {
	case f.power != "":
		if r.meter, err = power.New(f.power, f.powerInterval); err != nil {
			wrong("--power: %w", err)
		}
	case f.powerInterval != 0:
		wrong("--power-interval is for --power")
	}
	if r.conditions, err = shell.ParseConditions(f.failIfs); err == nil {
		err = r.checkConditions(f.model)
	}
	need(err)
	need(kept.CheckLayouts(f.also, r.loads, f.PromptOptions.API))
	oneOf := func(flag, value string, choices ...string) {
		if !slices.Contains(choices, value) {
			wrong("--%s %q: want %s", flag, value, strings.Join(choices, " or "))
		}
	}
	oneOf("window", cmp.Or(f.window, "steady"), "steady", "all")
	oneOf("stream", f.stream, "on", "off")
	need(shell.CheckNumbers(c.Flags()))
	need(f.PromptOptions.CheckOptions())
	return r, sdk.Usage(errors.Join(faults...))
}

// asksLoad says that a flag asks for a load.
func (r *benchRequest) asksLoad() bool {
	return r.Max || r.Replay || r.Rate != "" || r.Concurrency != "" || r.Stages != ""
}

// checkLoads says which flags of loads do not go together.
func (r *benchRequest) checkLoads() error {
	switch {
	case r.sweep && r.find != "":
		return errors.New("--sweep and --find exclude each other")
	case r.sweep && r.asksLoad():
		return errors.New("--sweep chooses the loads: leave --rate, --concurrency, --max, --stages and --replay out")
	case r.find != "":
		return r.checkFind()
	case r.Replay && r.File == "":
		return errors.New("--replay needs --data FILE with timestamps")
	case r.most != 0:
		return errors.New("--max-requests-per-point is for --find")
	}
	return nil
}

// checkFind says what does not go with a search.
func (r *benchRequest) checkFind() error {
	switch {
	case r.Max || r.Replay || r.Stages != "":
		return fmt.Errorf("--find %s chooses the loads: leave --max, --stages and --replay out", r.find)
	case r.slo == "":
		return fmt.Errorf("--find %s searches for the highest load that meets --slo: give one, such as "+
			"--slo 'p99 ttft < 500ms'",
			r.find)
	case r.find != string(arrival.Rate) && r.find != "concurrency":
		return fmt.Errorf("--find %q: want rate or concurrency", r.find)
	}
	return nil
}

// readLoads reads the loads, in rising order, or what a sweep or a search makes of them.
func (r *benchRequest) readLoads() error {
	if err := r.checkLoads(); err != nil {
		return err
	}
	flags := r.LoadFlags
	flags.Seed = r.PromptOptions.Seed
	if r.PromptOptions.Turns == "all" {
		flags.Turns = r.PromptOptions.Turns
	}
	chosen := flags.Concurrency != "" || flags.Rate != ""
	r.beginAt(&flags)
	loads, err := flags.ParsePatterns()
	if err != nil || len(loads) == 0 {
		return err
	}
	r.base, r.loads = loads[0], loads
	if r.loadgen {
		if err := byLoadGen(loads, r.retry); err != nil {
			return err
		}
	}
	if r.search != nil && len(loads) > 1 {
		return fmt.Errorf("--find %s begins at one load: give one value, and no list", r.find)
	}
	if r.search != nil && chosen {
		r.search.Start = loads[0].Value()
	}
	if r.search != nil || r.sweep {
		r.loads = nil
	}
	return nil
}

// beginAt puts the load at which a search or a sweep begins into the flags, or the usual one.
func (r *benchRequest) beginAt(flags *arrival.LoadFlags) {
	switch {
	case r.find == "concurrency":
		r.search = &sweep.SearchOptions{Kind: arrival.Users, MaxRequests: r.most}
		flags.Concurrency = cmp.Or(flags.Concurrency, "1")
	case r.find != "":
		r.search = &sweep.SearchOptions{Kind: arrival.Rate, MaxRequests: r.most}
		flags.Rate = cmp.Or(flags.Rate, "1")
	case r.sweep && flags.Arrival == "":
		flags.Concurrency = "1"
	case r.sweep:
		flags.Rate = "1"
	case !r.asksLoad():
		flags.Concurrency = serving.DefaultUsers
	}
}

// byLoadGen says why LoadGen cannot send loads.
func byLoadGen(loads []arrival.Pattern, retry int) error {
	if retry > 0 {
		return fmt.Errorf("--loadgen and --retry %d: LoadGen's tests end with the first failure", retry)
	}
	for _, p := range loads {
		if _, err := engine.LoadGenSettings(p, 1, 0, 0); err != nil {
			return fmt.Errorf("--loadgen: %w", err)
		}
	}
	return nil
}

// loadText is the loads as they were given.
func (r *benchRequest) loadText() string {
	switch {
	case r.sweep:
		return "--sweep"
	case r.search != nil:
		return "--find " + r.find
	}
	return cmp.Or(r.Rate, r.Concurrency, r.Stages)
}

// undeciding are flags that do not decide what is measured.
var undeciding = append([]string{
	"out", "force", "json", "quiet", "color", "dry-run", "fail-if", "label", "note", "backend-secret", "also", "gpus",
	"price", "server-metrics", "gpu-metrics", "power", "power-interval", "wait", "help", "help-all",
}, shell.CIFlagNames...)

// decidingFlags are the address and the flags that decide what is measured, in order, without secrets: a sweep with the
// same goes on.
func decidingFlags(c *cobra.Command) []string {
	all := []string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(undeciding, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			flag := "--" + f.Name
			all = append(all, secret.Args([]string{flag + "=" + v}, shell.SecretFlags())...)
		}
	})
	return all
}

// toPlan is what is asked for, as the library has it.
func (r *benchRequest) toPlan() serving.Plan {
	p := serving.Plan{
		Prompts: r.PromptOptions, Tokenizer: r.tokenizer, Whole: r.stream == "off",
		Loads: r.loads, Auto: r.sweep, Find: r.search, Base: r.base,
		Objectives: r.objectives, WarmUp: r.warmUp, MaxErrors: &r.maxErrors, Retry: r.retry,
		WholeWindow: r.window == "all", LoadGen: r.loadgen, GPUs: r.gpus,
		HourPrice: float64(r.price),
	}
	switch r.warmUp {
	case 0:
		p.WarmUp = -1
	case -1:
		p.WarmUp = 0
	}
	if p.Grace = r.grace; r.grace == 0 {
		p.Grace = -1
	}
	if !r.boundAll {
		p.Grace = 0
	}
	return p
}
