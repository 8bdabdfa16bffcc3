// Command harness runs benchmarks and judges them.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cli.Main(cli.Process(signals)))
}
