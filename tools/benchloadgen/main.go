// Command benchloadgen measures whole StartTest calls of LoadGen, logs included, with a SUT that answers at once. It
// compares them with the official LoadGen: with recorded figures of its C++ program on a 2-core machine and, if
// installed, with its Python package on this machine.
//
//	go run ./tools/benchloadgen [-runs 5] [-python PYTHON] [-only NAME,...] [-quick]
//
// PYTHON is an interpreter that can import mlperf_loadgen (package mlcommons-loadgen).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.IntVar(&o.runs, "runs", 5, "runs of each measurement")
	flag.StringVar(&o.python, "python", os.Getenv("PLUMBLINE_MLPERF_PYTHON"),
		"Python interpreter with mlcommons-loadgen: measured side by side ($PLUMBLINE_MLPERF_PYTHON)")
	flag.BoolVar(&o.quick, "quick", false, "a hundredth of the samples: to try the program out")
	only := flag.String("only", "",
		"measure only these (scale and collector take minutes, and are made only when named): "+sectionNames())
	flag.StringVar(&o.prefix, "workload", "", "measure only workloads whose names begin so, such as Server")
	child := flag.String("child", "", "measure the peak memory of one run in this process (used by the program itself)")
	flag.Parse()
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	if *child != "" {
		o.runs = 1
	}
	if err := run(ctx, o, *child); err != nil {
		fmt.Fprintln(os.Stderr, "benchloadgen:", err)
		os.Exit(1)
	}
}
