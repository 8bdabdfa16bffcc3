// Package serving implements harness bench and harness probe, the commands that measure servers of language models by
// their address.
package serving

import (
	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/config"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const benchHelp = `Measure the throughput and latency of a language-model server, given only its address.

Prompts are generated with the lengths that you choose, or come from your file. The load is a number of users or a rate.
A user waits for each answer before the next request; a rate does not wait. A list of either is a sweep, and its points
form a curve.

  harness bench http://host:8000                                   16 users for a minute
  harness bench URL --isl 1024 --osl 128 --concurrency 16
  harness bench URL --data prompts.jsonl --rate 5 --duration 2m
  harness bench URL --isl 1024 --osl 1024 --concurrency 1..256 --gpus 8 --out h200
  harness bench URL --data sharegpt.json --sweep --slo 'p99 ttft < 500ms, p99 tpot < 30ms'
  harness bench URL --data trace.jsonl --replay --speed 2
  harness bench URL --isl 512 --osl 64 --find rate --slo 'p99 ttft < 300ms'
  harness bench config.yaml --rate 5                               a file of mlcommons/endpoints; flags override it
  harness bench URL --concurrency 512 --shard 0/4 --start-at TIME  a quarter of the load; combine with bench merge
  harness bench mix.yaml                                           a suite of measurements (docs/suites.md)

Times count from when a request was due, so sending late does not improve TTFT. These measurements are not LoadGen
scenarios unless the report says so; use harness run for scenarios. docs/serving.md

The first Ctrl-C ends the current point and keeps the results; the same command resumes.

Exit codes: 0 measured, 2 usage, 3 no point meets --slo, or --fail-if is met, 5 the server failed, 6 no server, no such
model, or data missing or wrong, 7 --find reached the client's limit, 8 --find had too little data, 130 interrupted.`

// BenchCommand returns the command "harness bench".
func BenchCommand(s *shell.App, plugins *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	f := &benchFlags{}
	c := &cobra.Command{
		Use: "bench URL", Short: "Measure a server of language models: throughput against latency", Long: benchHelp,
		Args: shell.RequireOneArgument("the address of a server, such as http://localhost:8000"),
		RunE: func(c *cobra.Command, args []string) error {
			f.address = args[0]
			if is, err := config.RunIfServing(a.App, c, plugins, f.address); is {
				return err
			}
			return a.runBench(c, f)
		},
	}
	f.addFlags(c.Flags())
	shell.AddRunReport(s, c)
	c.AddCommand(a.mergeCommand())
	return c
}

const probeHelp = `Describe a language-model server: its kind, the tokens it counts, its caching. Stream one request.

  harness probe http://host:8000

Exit codes: 0 the server answers, 6 it does not answer, or answers incorrectly.`

// ProbeCommand returns the command "harness probe".
func ProbeCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &probeFlags{}
	c := &cobra.Command{
		Use: "probe URL", Short: "Describe a server of language models, and stream one request", Long: probeHelp,
		Args: shell.RequireOneArgument("the address of a server, such as http://localhost:8000"),
		RunE: func(c *cobra.Command, args []string) error {
			f.address = args[0]
			return a.probeServer(c, f)
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	f.serverFlags.addFlags(flags)
	flags.BoolVar(&f.json, "json", false, "print what was found as JSON")
	return c
}
