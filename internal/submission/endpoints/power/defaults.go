package power

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// Default is a value of appendix D of the rules.
type Default struct {
	Watts   float64
	Section string // "D.2"
}

var (
	armWords    = regexp.MustCompile(`\b(grace|neoverse|arm|graviton|axion|ampere|altra|agi)\b`)
	x86Words    = regexp.MustCompile(`\b(xeon|epyc|intel|amd|x86|x86_64)\b`)
	coresInName = regexp.MustCompile(`(\d+)[\s-]*core`)
)

// OfCPU is a processor's default, by what its name says of its architecture and by its cores; where cores is 0, by the
// cores in its name. It is nil where either is not known, and of larger ARM processors.
func OfCPU(d endpoints.PowerDefaults, model string, cores int) *Default {
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
		return &Default{d.CPU.ARM, "D.2"}
	case !x86Words.MatchString(name):
		return nil
	case cores <= d.CPU.X86SmallMaxCores:
		return &Default{d.CPU.X86Small, "D.2"}
	}
	return &Default{d.CPU.X86Large, "D.2"}
}

// OfAccelerator is the default of an accelerator that appendix D lists, or nil.
func OfAccelerator(d endpoints.PowerDefaults, model string) *Default {
	name := endpoints.Squash(model)
	for _, a := range d.Accelerators {
		if strings.Contains(name, a.Name) {
			return &Default{a.Watts, "D.3"}
		}
	}
	return nil
}

// OfSwitch is the default of a switch that appendix D lists, with the cabling "passive" or "active_optical"; or nil.
func OfSwitch(d endpoints.PowerDefaults, model, cabling string) *Default {
	name := endpoints.Squash(model)
	for _, s := range d.Switches {
		if !strings.Contains(name, s.Name) {
			continue
		}
		watts := map[string]float64{"passive": s.Passive, "active_optical": s.ActiveOptical}[cabling]
		if watts == 0 {
			return nil
		}
		return &Default{watts, "D.4"}
	}
	return nil
}
