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

// benchRequest contains the parsed and checked flags.
type benchRequest struct {
	*benchFlags
	loads       []arrival.Pattern
	base        arrival.Pattern // common properties of the loads of a sweep or a search
	search      *sweep.SearchOptions
	objectives  objective.Objectives
	maxErrors   engine.MaxErrors
	graceForAll bool // --grace was given and also applies to points that end after a number of requests
	conditions  []failif.Condition
	share       shard.Share  // zero: the whole load
	start       time.Time    // common start of all shares
	meter       *power.Meter // nil: no meter
	flags       []string     // flags that determine the measurement
}

// readFlags checks the flags without contacting a server. Its error lists all faults.
func (f *benchFlags) readFlags(c *cobra.Command) (*benchRequest, error) {
	r := &benchRequest{benchFlags: f, flags: measurementFlags(c), graceForAll: c.Flags().Changed("grace")}
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
	need(kept.CheckFormats(f.also, r.loads, f.PromptOptions.API))
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

// hasLoadFlag reports whether a flag sets a load.
func (r *benchRequest) hasLoadFlag() bool {
	return r.Max || r.Replay || r.Rate != "" || r.Concurrency != "" || r.Stages != ""
}

// checkLoads rejects load flags that conflict.
func (r *benchRequest) checkLoads() error {
	switch {
	case r.sweep && r.find != "":
		return errors.New("--sweep and --find exclude each other")
	case r.sweep && r.hasLoadFlag():
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

// checkFind rejects flags that conflict with a search.
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

// readLoads reads the loads in ascending order, or the options of a sweep or a search.
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
	r.setFirstLoad(&flags)
	loads, err := flags.ParsePatterns()
	if err != nil || len(loads) == 0 {
		return err
	}
	r.base, r.loads = loads[0], loads
	if r.loadgen {
		if err := checkLoadGen(loads, r.retry); err != nil {
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

// setFirstLoad sets the first load of a search or a sweep in flags. The default is one user.
func (r *benchRequest) setFirstLoad(flags *arrival.LoadFlags) {
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
	case !r.hasLoadFlag():
		flags.Concurrency = serving.DefaultUsers
	}
}

// checkLoadGen returns an error if LoadGen cannot send the loads.
func checkLoadGen(loads []arrival.Pattern, retry int) error {
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

// loadText returns the loads as the user wrote them.
func (r *benchRequest) loadText() string {
	switch {
	case r.sweep:
		return "--sweep"
	case r.search != nil:
		return "--find " + r.find
	}
	return cmp.Or(r.Rate, r.Concurrency, r.Stages)
}

// neutralFlags lists the flags that do not affect the measurement.
var neutralFlags = append([]string{
	"out", "force", "json", "quiet", "color", "dry-run", "fail-if", "label", "note", "backend-secret", "also", "gpus",
	"price", "server-metrics", "gpu-metrics", "power", "power-interval", "wait", "help", "help-all",
}, shell.CIFlagNames...)

// measurementFlags returns the address and the flags that determine the measurement, in order and without secrets. A
// sweep with the same flags can be resumed.
func measurementFlags(c *cobra.Command) []string {
	all := []string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(neutralFlags, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			flag := "--" + f.Name
			all = append(all, secret.HideArgs([]string{flag + "=" + v}, shell.SecretFlags())...)
		}
	})
	return all
}

// toPlan converts the request to the library's form.
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
	if !r.graceForAll {
		p.Grace = 0
	}
	return p
}
