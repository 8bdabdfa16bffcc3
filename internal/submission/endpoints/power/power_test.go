package power

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenPower(t *testing.T) {
	rules := endpoints.NewestRules()
	golden.Each(t, "endpoints/power.jsonl", func(t *testing.T, path string) {
		type row struct {
			Descriptor                                  json.RawMessage
			Cores, Used                                 map[string]int
			Major, Overhead, Other, Published, Switches float64
			KW                                          *float64 `json:"kw"`
			PointKW                                     *float64 `json:"point_kw"`
			Sets                                        [][4]any
			Declared                                    bool
			Estimated, Problems, Warnings               []string
		}
		for i, c := range golden.ReadLines[row](t, path) {
			v, err := pyvalue.Decode(string(c.Descriptor))
			d, faults := ParseDescriptor(v)
			if err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			got := d.Compute(rules, numbers(c.Cores))
			for _, f := range [][2]float64{{got.Major, c.Major}, {got.Overhead, c.Overhead}, {got.Other, c.Other},
				{got.Published, c.Published}, {got.Switches, c.Switches}} {
				if math.Abs(f[0]-f[1]) > 1e-9*math.Abs(f[1]) {
					t.Errorf("%d: %v, want %v", i, f[0], f[1])
				}
			}
			if got.IsKnown != (c.KW != nil) || got.IsKnown && got.KW != *c.KW || got.IsDeclared != c.Declared {
				t.Errorf("%d: %v kW (%v), want %v: %q", i, got.KW, got.IsKnown, c.KW, got.Problems)
			}
			if kw, ok := got.PointKW(numbers(c.Used)); ok != (c.PointKW != nil) || ok && kw != *c.PointKW {
				t.Errorf("%d: a point of %v kW, want %v", i, kw, c.PointKW)
			}
			if len(got.Estimated) != len(c.Estimated) || len(got.Problems) != len(c.Problems) ||
				len(got.Warnings) != len(c.Warnings) {
				t.Errorf("%d: %q, want %q", i, [][]string{got.Estimated, got.Problems, got.Warnings},
					[][]string{c.Estimated, c.Problems, c.Warnings})
			}
			defaults := 0
			for _, f := range got.Figures {
				if f.Kind == DefaultSource {
					defaults++
				}
				if f.Kind == "" || f.Source == "" || f.Name == "" || f.Unit == "" {
					t.Errorf("%d: a figure without a source: %+v", i, f)
				}
			}
			if got.IsKnown && (defaults != len(got.Estimated) || len(got.Figures) == 0 && got.Total() > 0) {
				t.Errorf("%d: figures %v, estimated %q", i, got.Figures, got.Estimated)
			}
			for k, s := range got.Sets {
				acc := any(float64(s.AcceleratorsPerNode))
				if s.AcceleratorsPerNode < 0 {
					acc = nil
				}
				if w, _ := c.Sets[k][2].(float64); c.Sets[k][0] != float64(s.ID) || c.Sets[k][1] != float64(s.Nodes) ||
					math.Abs(w-s.Watts) > 1e-9*w || c.Sets[k][3] != acc {
					t.Errorf("%d: set %+v, want %v", i, s, c.Sets[k])
				}
			}
		}
	})
}

func numbers(m map[string]int) map[int]int {
	out := map[int]int{}
	for key, n := range m {
		k, _ := strconv.Atoi(key)
		out[k] = n
	}
	return out
}

func TestGoldenDefaults(t *testing.T) {
	defaults := endpoints.NewestRules().PowerDefaults
	golden.Each(t, "endpoints/defaults.jsonl", func(t *testing.T, path string) {
		type row struct {
			CPU, Accelerator, Switch *string
			Cores                    int
			Cabling                  string
			Watts                    float64
			Source                   string
		}
		for _, c := range golden.ReadLines[row](t, path) {
			var got *DefaultPower
			switch {
			case c.CPU != nil:
				got = DefaultForCPU(defaults, *c.CPU, c.Cores)
			case c.Accelerator != nil:
				got = DefaultForAccelerator(defaults, *c.Accelerator)
			case c.Switch != nil:
				got = DefaultForSwitch(defaults, *c.Switch, c.Cabling)
			default:
				continue
			}
			if got == nil {
				got = &DefaultPower{}
			}
			if *got != (DefaultPower{c.Watts, c.Source}) {
				t.Errorf("%+v: %+v", c, *got)
			}
		}
	})
}
