package shell

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// The names of limits.
const (
	memoryLimit    = "memory"
	processesLimit = "processes"
	filesLimit     = "files"
	cpuLimit       = "cpu"
)

// parseLimits parses limits such as memory=8GiB, processes=64, files=1024 and cpu=30m. Its error lists all wrong texts.
func parseLimits(texts []string) (host.ResourceLimits, error) {
	var l host.ResourceLimits
	var faults []error
	seen := map[string]bool{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		switch {
		case !found:
			faults = append(faults, fmt.Errorf("%q, want NAME=VALUE", text))
		case seen[name]:
			faults = append(faults, fmt.Errorf("%s is given twice", name))
		default:
			faults = append(faults, setLimit(&l, name, value))
		}
		seen[name] = true
	}
	return l, errors.Join(faults...)
}

// setLimit parses one value.
func setLimit(l *host.ResourceLimits, name, value string) (err error) {
	switch name {
	case memoryLimit:
		l.Memory, err = parseByteSize(value)
	case processesLimit:
		l.Processes, err = limitCount(value)
	case filesLimit:
		l.Files, err = limitCount(value)
	case cpuLimit:
		l.CPU, err = time.ParseDuration(value)
		if err != nil || l.CPU <= 0 {
			err = fmt.Errorf("%q, want a time above 0, such as 90s or 30m", value)
		}
	default:
		return suggest.Unknown("limit", name, []string{memoryLimit, processesLimit, filesLimit, cpuLimit})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func limitCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q, want a whole number above 0", text)
	}
	return n, nil
}

// limitUnits lists the units of sizes. A longer name precedes its suffixes.
var limitUnits = [...]struct {
	name   string
	factor float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// parseByteSize parses a size in bytes.
func parseByteSize(text string) (int64, error) {
	for _, u := range limitUnits {
		digits, found := strings.CutSuffix(text, u.name)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if n *= u.factor; err == nil && n >= 1 && n < math.MaxInt64 {
			return int64(n), nil
		}
		break
	}
	return 0, fmt.Errorf("%q, want a number with its unit, such as 8GiB or 500MB", text)
}
