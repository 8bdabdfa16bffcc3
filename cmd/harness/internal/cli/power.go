package cli

import (
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
)

// powerFlags adds the flags that measure power beside timed runs.
func powerFlags(f *pflag.FlagSet, r *bench.Request) {
	f.StringVar(&r.Power, "power", "",
		"measure power beside timed runs, by `METER`: rapl, or rapl:ROOT (Linux's\ncounters of the processors), cmd:COMMAND "+
			"(prints watts, a number a line), or\nfile:SPL (what a power meter's program writes). Informal: a submission of "+
			"power\nneeds the official power tools")
	f.DurationVar(&r.PowerInterval, "power-interval", 0, "`TIME` between two readings, 10ms to 10s (default 1s)")
	f.BoolVar(&r.PowerRanging, "power-ranging", false,
		"before each timed run make one like it, into performance/ranging, as the\nofficial power tools do to set an "+
			"analyzer's ranges")
	f.StringVar(&r.PowerLogs, "power-logs", "",
		"take client.json, client.log, ptd_logs.txt, server.json and server.log of\nthe official power tools from `DIR`, as "+
			"they are, into performance/power")
}
