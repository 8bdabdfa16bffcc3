package power

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// DefaultPower is a default value in appendix D of the rules.
type DefaultPower struct {
	Watts   float64
	Section string // such as "D.2"
}

var (
	armWords    = regexp.MustCompile(`\b(grace|neoverse|arm|graviton|axion|ampere|altra|agi)\b`)
	x86Words    = regexp.MustCompile(`\b(xeon|epyc|intel|amd|x86|x86_64)\b`)
	coresInName = regexp.MustCompile(`(\d+)[\s-]*core`)
)

// DefaultForCPU returns a processor's default, from the architecture in its name and the number of its cores. If cores
// is 0, it uses the number in the name. It returns nil if either is unknown, and for larger ARM processors.
func DefaultForCPU(d endpoints.PowerDefaults, model string, cores int) *DefaultPower {
	name := strings.ToLower(model)
	if cores == 0 {
		m := coresInName.FindStringSubmatch(name)
		if m == nil {
			return nil
		}
		cores, _ = strconv.Atoi(m[1])
	}
	switch {
	case armWords.MatchString(name):
		if cores > d.CPU.ARMMaxCores {
			return nil
		}
		return &DefaultPower{d.CPU.ARM, "D.2"}
	case !x86Words.MatchString(name):
		return nil
	case cores <= d.CPU.X86SmallMaxCores:
		return &DefaultPower{d.CPU.X86Small, "D.2"}
	}
	return &DefaultPower{d.CPU.X86Large, "D.2"}
}

// DefaultForAccelerator returns the default of an accelerator in appendix D, or nil.
func DefaultForAccelerator(d endpoints.PowerDefaults, model string) *DefaultPower {
	name := endpoints.SquashName(model)
	for _, a := range d.Accelerators {
		if strings.Contains(name, a.Name) {
			return &DefaultPower{a.Watts, "D.3"}
		}
	}
	return nil
}

// DefaultForSwitch returns the default of a switch in appendix D with the cabling "passive" or "active_optical", or
// nil.
func DefaultForSwitch(d endpoints.PowerDefaults, model, cabling string) *DefaultPower {
	name := endpoints.SquashName(model)
	for _, s := range d.Switches {
		if !strings.Contains(name, s.Name) {
			continue
		}
		watts := map[string]float64{"passive": s.Passive, "active_optical": s.ActiveOptical}[cabling]
		if watts == 0 {
			return nil
		}
		return &DefaultPower{watts, "D.4"}
	}
	return nil
}
