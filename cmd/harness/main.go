// Command harness runs benchmarks and judges them.
//
// It finds a benchmark's plugin, launches it, drives it with the LoadGen, and reports. Results go to
//
//	OUT/result.json                                   all runs
//	OUT/MODEL/SCENARIO/result.json                    the scenario's runs, and user.conf where one was given
//	OUT/MODEL/SCENARIO/performance/run_1/mlperf_log_* the four logs
//	OUT/MODEL/SCENARIO/accuracy/mlperf_log_*          the four logs, and accuracy.txt
//	OUT/.previous                                     results that --force is about to replace, until others are complete
//
// It ends with 0 VALID, 1 internal error, 2 usage or settings, 3 INVALID, 4 accuracy below target, 5 plugin failed,
// 6 model or data missing or wrong, or 130 interrupted: the worst of all runs.
//
// In scope: the command line, plans, reports. Out of scope: benchmarks, backends, metrics (the plugins), load
// generation (loadgen).
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

func main() {
	// what Go ends, for lack of memory say, ends by SIGABRT: its code 2 would be that of wrong usage
	debug.SetTraceback("crash")
	host.KeepOpenFiles() // from all that is started: power meters, plugins
	// a write to a pipe that nobody reads any more is an error, and does not end the process and the run with it
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // else nohup wants it to outlive its terminal
		signal.Notify(signals, syscall.SIGHUP)
	}
	os.Exit(cli.Main(context.Background(), shell.NewState(signals)))
}
