package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/system"
)

// minMemory is the memory that the plugins' own models and data require, with a margin for the system.
const minMemory = 2 << 30

// CheckMachine checks the processor, memory, governor, kernel, clock and sleeps of the machine.
func CheckMachine(i system.Info, p TimerPrecision) Section {
	return Section{"machine", []Check{checkProcessor(i), checkMemory(i), checkGovernor(i), p.checkClock(), p.checkSleep(),
		checkKernel(i)}}
}

func checkProcessor(i system.Info) Check {
	c := Check{Name: "processor", State: OK, Found: fmt.Sprintf("%s, %d cores", cmp.Or(i.CPU, "unknown"), i.Cores)}
	switch {
	case i.Quota != "":
		c.State, c.Found = Warn, c.Found+", limited to "+i.Quota
		c.Advice = "the container's CPU limit pauses the process in mid-query; lift it, or give whole cores with a cpuset"
	case i.Cores < 2:
		c.State, c.Advice = Warn, "LoadGen and the system under test share one core: latencies are longer than they could be"
	}
	return c
}

func checkMemory(i system.Info) Check {
	c := Check{Name: "memory", State: OK, Found: figure.Bytes(i.MemoryBytes)}
	switch {
	case i.MemoryBytes == 0:
		c.Found = "unknown"
	case i.MemoryBytes < minMemory:
		c.State, c.Advice = Warn, "performance mode keeps its samples in memory; --count limits how many there are"
	}
	return c
}

func checkGovernor(i system.Info) Check {
	c := Check{Name: "CPU governor", State: OK, Found: i.Governor}
	switch i.Governor {
	case "":
		c.Found = "not offered by this machine (virtual machines: the host's)"
	case "performance":
	default:
		c.State = Warn
		c.Advice = "clock rates change during a run: sudo cpupower frequency-set -g performance"
	}
	return c
}

func checkKernel(i system.Info) Check {
	return Check{Name: "system", State: OK, Found: fmt.Sprintf("%s, %s, %s", i.OS, i.Kernel, i.Arch)}
}

// TimerPrecision is the precision of the machine's clock and sleeps.
type TimerPrecision struct {
	ClockCost time.Duration   // time of one reading
	Late      []time.Duration // lateness of sleeps like those of the issuing loop, sorted
}

// Limits of good precision. A query that is issued late is measured as slow. The latency limits are 15 ms and more, so
// lateness must be far below.
const (
	maxGoodClockCost = 500 * time.Nanosecond
	maxGoodLateness  = time.Millisecond // 99th percentile
)

// MeasurePrecision measures the precision in some tenths of a second.
func MeasurePrecision() TimerPrecision {
	return TimerPrecision{ClockCost: measureClockCost(), Late: measureLateness()}
}

func measureClockCost() time.Duration {
	const readings = 100_000
	start := time.Now()
	for range readings {
		_ = time.Now()
	}
	return time.Since(start) / readings
}

// The number and the length of the measured sleeps. Each is long enough to use the kernel's timer.
const (
	sleepCount  = 400
	sleepLength = 250 * time.Microsecond
)

func measureLateness() []time.Duration {
	release := enableExactSleep()
	defer release()
	late := make([]time.Duration, sleepCount)
	for i := range late {
		start := time.Now()
		sleep(sleepLength)
		late[i] = time.Since(start) - sleepLength
	}
	slices.Sort(late)
	return late
}

func (p TimerPrecision) checkClock() Check {
	c := Check{Name: "clock", State: OK, Found: fmt.Sprintf("%d ns per reading", p.ClockCost.Nanoseconds())}
	if p.ClockCost > maxGoodClockCost {
		c.State = Warn
		c.Advice = "the kernel's clock source is a slow one: " +
			"/sys/devices/system/clocksource/clocksource0/current_clocksource should be tsc or kvm-clock"
	}
	return c
}

func (p TimerPrecision) checkSleep() Check {
	if len(p.Late) == 0 {
		return Check{Name: "timer", State: Warn, Found: "not measured"}
	}
	median, high := p.Late[len(p.Late)/2], p.Late[len(p.Late)*99/100]
	c := Check{
		Name: "timer", State: OK,
		Found: fmt.Sprintf("sleeps end %s late (median), %s (99th percentile)", formatMicros(median), formatMicros(high)),
	}
	if high > maxGoodLateness {
		c.State = Warn
		c.Advice = "Server queries are issued late by as much: stop other programs, or run with --pace precise"
	}
	return c
}

func formatMicros(d time.Duration) string { return fmt.Sprintf("%.0f us", float64(d)/1e3) }
