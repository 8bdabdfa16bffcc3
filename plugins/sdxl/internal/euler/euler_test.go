package euler

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// released is the configuration of the released checkpoint.
const released = `{"_class_name": "EulerDiscreteScheduler", "_diffusers_version": "0.19.0.dev0", "beta_end": 0.012,
	"beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "interpolation_type": "linear",
	"num_train_timesteps": 1000, "prediction_type": "epsilon", "sample_max_value": 1.0, "set_alpha_to_one": false,
	"skip_prk_steps": true, "steps_offset": 1, "timestep_spacing": "leading", "trained_betas": null,
	"use_karras_sigmas": false}`

func parse(t testing.TB, text []byte) SchedulerConfig {
	t.Helper()
	c, err := ParseConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestReleased compares with the noise levels that diffusers gives for 20 steps.
func TestReleased(t *testing.T) {
	s, err := parse(t, []byte(released)).NewSchedule(20)
	if err != nil {
		t.Fatal(err)
	}
	sigmas := []float32{11.028336, 8.390687, 6.5064, 5.1344333, 4.1166983, 3.347765, 2.756197, 2.2928548, 1.9234443,
		1.623693, 1.3761796, 1.1682165, 0.9904094, 0.83565325, 0.6983986, 0.5740508, 0.45833313, 0.3461873, 0.22814728,
		0.04131448, 0}
	for i, want := range sigmas {
		if math.Abs(float64(s.sigmas[i]-want)) > 1e-6*float64(want) {
			t.Errorf("sigma %d is %v, want %v", i, s.sigmas[i], want)
		}
	}
	if s.Timestep(0) != 951 || s.Timestep(19) != 1 || s.Len() != 20 || math.Abs(float64(s.initialScale)-11.07358) > 1e-5 {
		t.Errorf("timesteps %v, start %v", s.timesteps, s.initialScale)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"x", []string{"invalid"}},
		{`{"_class_name": "DDIMScheduler", "beta_schedule": "squaredcos_cap_v2", "prediction_type": "sample",
			"interpolation_type": "log_linear", "timestep_type": "continuous", "rescale_betas_zero_snr": true,
			"sigma_min": 0.1, "trained_betas": [1], "final_sigmas_type": "x", "timestep_spacing": "y", "use_karras_sigmas": 1,
			"use_beta_sigmas": true, "steps_offset": 0.5, "num_train_timesteps": 1, "beta_start": null, "solver_order": 2}`,
			[]string{"DDIMScheduler", "squaredcos_cap_v2", `"sample", want epsilon or v_prediction`, "log_linear", "continuous",
				"rescale_betas_zero_snr is true", "sigma_min is 0.1", "trained_betas is [1]", "final_sigmas_type",
				"timestep_spacing",
				"use_karras_sigmas is 1", "use_beta_sigmas", "steps_offset is 0.5", "num_train_timesteps is 1,",
				"beta_start is null",
				"solver_order is 2, a setting that is not known"}},
		{`{"beta_start": 0}`, []string{"want 0 < beta_start"}},
		{`{"beta_end": 1}`, []string{"beta_end < 1"}},
	}
	for _, tt := range tests {
		_, err := ParseConfig([]byte(tt.text))
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%s: error %v, want ErrConfig", tt.text, err)
			continue
		}
		for _, w := range tt.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want %q", err, w)
			}
		}
	}
	for _, steps := range []int{-1, 0, 1001} {
		if _, err := parse(t, []byte(released)).NewSchedule(steps); err == nil {
			t.Errorf("%d steps passed", steps)
		}
	}
}

type tables struct {
	Configs map[string]json.RawMessage
	Tables  []struct {
		Config            string
		Steps             int
		Timesteps, Sigmas []float64
		Start             float64 `json:"init_noise_sigma"`
	}
}

func TestGoldenTables(t *testing.T) {
	golden.Each(t, "text_to_image/scheduler/tables.json", func(t *testing.T, path string) {
		var want tables
		golden.ReadJSON(t, path, &want)
		for _, w := range want.Tables {
			c := parse(t, want.Configs[w.Config])
			s, err := c.NewSchedule(w.Steps)
			if err != nil {
				t.Fatal(err)
			}
			tolerance, ofTimes := 1e-6, 0.0
			if c.TimestepSpacing == "linspace" || c.Karras {
				tolerance, ofTimes = 1e-5, 1e-5
			}
			checkNear(t, w.Config, s.timesteps, w.Timesteps, ofTimes)
			checkNear(t, w.Config, s.sigmas, w.Sigmas, tolerance)
			checkNear(t, w.Config, []float32{s.initialScale}, []float64{w.Start}, tolerance)
		}
		t.Logf("%d tables", len(want.Tables))
	})
}

// checkNear allows a share of each value.
func checkNear(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > tolerance*math.Abs(w) {
			t.Errorf("%s of %d: value %d is %v, want %v", what, len(want), i, got[i], w)
		}
	}
}

// loop is a whole way through a schedule, by given predictions.
type loop struct {
	Name, Config string
	Steps        int
	Guidance     float32 `json:"guidance_scale"`
	Files        map[string]string
}

func TestGoldenSteps(t *testing.T) {
	golden.Each(t, "text_to_image/scheduler/steps.json", func(t *testing.T, path string) {
		dir := filepath.Dir(path)
		var configs tables
		golden.ReadJSON(t, filepath.Join(dir, "tables.json"), &configs)
		var want struct{ Cases []loop }
		golden.ReadJSON(t, path, &want)
		for _, c := range want.Cases {
			t.Run(c.Name, func(t *testing.T) { c.check(t, dir, parse(t, configs.Configs[c.Config])) })
		}
	})
}

func (c loop) check(t *testing.T, dir string, config SchedulerConfig) {
	t.Helper()
	s, err := config.NewSchedule(c.Steps)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []float32 { return readFloats(t, filepath.Join(dir, c.Files[name])) }
	x, uncond, text, inputs, latents := read("start"), read("uncond"), read("text"), read("model_input"), read("latents")
	n := len(x)
	s.ScaleNoise(x)
	checkClose(t, "start", x, latents[:n])
	input, predicted := make([]float32, n), make([]float32, n)
	for i := range min(s.Len(), len(uncond)/n) {
		s.ScaleInput(input, x, i)
		checkClose(t, "input", slices.Concat(input, input), inputs[2*n*i:][:2*n])
		for k := range predicted {
			u := uncond[n*i+k]
			predicted[k] = u + float32(c.Guidance*(text[n*i+k]-u))
		}
		s.Step(x, predicted, i)
		checkClose(t, "step", x, latents[n*(i+1):][:n])
	}
}

// checkClose allows 2e-6 of the largest value.
func checkClose(t *testing.T, what string, got, want []float32) {
	t.Helper()
	largest, worst := 0.0, 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(float64(w)))
		worst = max(worst, math.Abs(float64(got[i])-float64(w)))
	}
	if !(worst <= 2e-6*largest) {
		t.Errorf("%s: off by %v of %v", what, worst, largest)
	}
}

func readFloats(t *testing.T, path string) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = data[10+int(binary.LittleEndian.Uint16(data[8:])):]
	v := make([]float32, len(data)/4)
	if _, err := binary.Decode(data, binary.LittleEndian, v); err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzParse holds: a configuration that passes gives finite noise levels that fall.
func FuzzParse(f *testing.F) {
	f.Add([]byte(released), 20)
	f.Add([]byte(`{"use_karras_sigmas": true, "num_train_timesteps": 10}`), 3)
	f.Fuzz(func(t *testing.T, text []byte, steps int) {
		c, err := ParseConfig(text)
		if err != nil {
			return
		}
		s, err := c.NewSchedule(steps)
		if err != nil {
			return
		}
		for i, sigma := range s.sigmas {
			if math.IsNaN(float64(sigma)) || sigma < 0 {
				t.Fatalf("%s: sigma %d of %d is %v", text, i, steps, sigma)
			}
		}
	})
}
