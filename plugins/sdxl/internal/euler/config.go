package euler

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// SchedulerConfig contains the settings of scheduler_config.json. Text values are unchanged.
type SchedulerConfig struct {
	BetaStart, BetaEnd float64
	BetaSchedule       string // "scaled_linear" or "linear"
	TrainTimesteps     int
	PredictionType     string // prediction of the network: "epsilon" or "v_prediction"
	TimestepSpacing    string // "leading", "linspace" or "trailing"
	StepsOffset        int    // for "leading"
	Karras             bool
	FinalSigmas        string // "zero" or "sigma_min"
}

// maxTimesteps limits the number of training timesteps; the official configuration has 1,000.
const maxTimesteps = 1 << 16

// settingReader reads the value of a key. For an invalid value it returns a description of valid ones.
type settingReader func(value json.RawMessage) (want string)

// settingReaders returns a reader for each key of diffusers' scheduler, and for keys of other schedulers that occur in
// files.
func (c *SchedulerConfig) settingReaders() map[string]settingReader {
	return map[string]settingReader{
		"_class_name":            textReader(`"EulerDiscreteScheduler"`),
		"beta_start":             numberReader(&c.BetaStart),
		"beta_end":               numberReader(&c.BetaEnd),
		"beta_schedule":          choiceReader(&c.BetaSchedule, "scaled_linear", "linear"),
		"num_train_timesteps":    wholeReader(&c.TrainTimesteps, 2),
		"prediction_type":        choiceReader(&c.PredictionType, "epsilon", "v_prediction"),
		"timestep_spacing":       choiceReader(&c.TimestepSpacing, "leading", "linspace", "trailing"),
		"steps_offset":           wholeReader(&c.StepsOffset, 0),
		"use_karras_sigmas":      flagReader(&c.Karras),
		"final_sigmas_type":      choiceReader(&c.FinalSigmas, "zero", "sigma_min"),
		"interpolation_type":     textReader(`"linear"`),
		"timestep_type":          textReader(`"discrete"`),
		"rescale_betas_zero_snr": textReader("false"),
		"use_exponential_sigmas": textReader("false"),
		"use_beta_sigmas":        textReader("false"),
		"sigma_min":              textReader("null"),
		"sigma_max":              textReader("null"),
		"trained_betas":          textReader("null"),
		// ignored by this scheduler
		"_diffusers_version": ignoreSetting, "clip_sample": ignoreSetting, "sample_max_value": ignoreSetting,
		"set_alpha_to_one": ignoreSetting, "skip_prk_steps": ignoreSetting,
	}
}

// ParseConfig parses scheduler_config.json. Missing keys have diffusers' defaults. Unknown keys and values are errors
// that wrap ErrConfig and name each of them.
func ParseConfig(data []byte) (SchedulerConfig, error) {
	c := SchedulerConfig{
		BetaStart: 0.0001, BetaEnd: 0.02, BetaSchedule: "linear", TrainTimesteps: 1000, PredictionType: "epsilon",
		TimestepSpacing: "linspace", FinalSigmas: "zero",
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return SchedulerConfig{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	var faults []string
	settings := c.settingReaders()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		read, known := settings[key]
		if !known {
			faults = append(faults, fmt.Sprintf("%.40s is %.40s, a setting that is not known", key, keys[key]))
		} else if want := read(keys[key]); want != "" {
			faults = append(faults, fmt.Sprintf("%s is %.40s, want %s", key, keys[key], want))
		}
	}
	if len(faults) == 0 && !(c.BetaStart > 0 && c.BetaStart <= c.BetaEnd && c.BetaEnd < 1) {
		faults = append(faults, fmt.Sprintf("beta_start %v and beta_end %v, want 0 < beta_start <= beta_end < 1", c.BetaStart,
			c.BetaEnd))
	}
	if len(faults) > 0 {
		return SchedulerConfig{}, fmt.Errorf("%w: %s", ErrConfig, strings.Join(faults, "; "))
	}
	return c, nil
}

func ignoreSetting(json.RawMessage) string { return "" }

func textReader(text string) settingReader {
	return func(value json.RawMessage) string {
		if string(value) == text {
			return ""
		}
		return text
	}
}

func choiceReader(dst *string, values ...string) settingReader {
	return func(value json.RawMessage) string {
		if json.Unmarshal(value, dst) == nil && slices.Contains(values, *dst) {
			return ""
		}
		return strings.Join(values, " or ")
	}
}

func numberReader(dst *float64) settingReader {
	return func(value json.RawMessage) string {
		if json.Unmarshal(value, dst) == nil && string(value) != "null" {
			return ""
		}
		return "a number"
	}
}

func wholeReader(dst *int, minValue int) settingReader {
	return func(value json.RawMessage) string {
		var n float64
		if json.Unmarshal(value, &n) == nil && string(value) != "null" && n == math.Trunc(n) && n >= float64(minValue) &&
			n <= maxTimesteps {
			*dst = int(n)
			return ""
		}
		return fmt.Sprintf("a whole number of %d to %d", minValue, maxTimesteps)
	}
}

func flagReader(dst *bool) settingReader {
	return func(value json.RawMessage) string {
		if *dst = string(value) == "true"; *dst || string(value) == "false" {
			return ""
		}
		return "true or false"
	}
}
