package euler

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Config is what scheduler_config.json says. The values of texts are those of the file.
type Config struct {
	BetaStart, BetaEnd float64
	BetaSchedule       string // "scaled_linear" or "linear"
	TrainTimesteps     int
	PredictionType     string // of the network: "epsilon" or "v_prediction"
	TimestepSpacing    string // "leading", "linspace" or "trailing"
	StepsOffset        int    // for "leading"
	Karras             bool
	FinalSigmas        string // "zero" or "sigma_min"
}

// mostTimesteps bounds the table of training, which has 1,000.
const mostTimesteps = 1 << 16

// setting reads the value of a key, or says what it may be.
type setting func(value json.RawMessage) (want string)

// settings are the keys that diffusers knows, and those that files have from other schedulers.
func (c *Config) settings() map[string]setting {
	return map[string]setting{
		"_class_name":            only(`"EulerDiscreteScheduler"`),
		"beta_start":             number(&c.BetaStart),
		"beta_end":               number(&c.BetaEnd),
		"beta_schedule":          one(&c.BetaSchedule, "scaled_linear", "linear"),
		"num_train_timesteps":    whole(&c.TrainTimesteps, 2),
		"prediction_type":        one(&c.PredictionType, "epsilon", "v_prediction"),
		"timestep_spacing":       one(&c.TimestepSpacing, "leading", "linspace", "trailing"),
		"steps_offset":           whole(&c.StepsOffset, 0),
		"use_karras_sigmas":      flag(&c.Karras),
		"final_sigmas_type":      one(&c.FinalSigmas, "zero", "sigma_min"),
		"interpolation_type":     only(`"linear"`),
		"timestep_type":          only(`"discrete"`),
		"rescale_betas_zero_snr": only("false"),
		"use_exponential_sigmas": only("false"),
		"use_beta_sigmas":        only("false"),
		"sigma_min":              only("null"),
		"sigma_max":              only("null"),
		"trained_betas":          only("null"),
		// what this scheduler does not look at
		"_diffusers_version": ignored, "clip_sample": ignored, "sample_max_value": ignored,
		"set_alpha_to_one": ignored, "skip_prk_steps": ignored,
	}
}

// Parse reads scheduler_config.json. A key that is not there has diffusers' default. Keys and values that are not known
// are ErrConfig, each by its name.
func Parse(data []byte) (Config, error) {
	c := Config{
		BetaStart: 0.0001, BetaEnd: 0.02, BetaSchedule: "linear", TrainTimesteps: 1000, PredictionType: "epsilon",
		TimestepSpacing: "linspace", FinalSigmas: "zero",
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	var faults []string
	settings := c.settings()
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
		return Config{}, fmt.Errorf("%w: %s", ErrConfig, strings.Join(faults, "; "))
	}
	return c, nil
}

func ignored(json.RawMessage) string { return "" }

func only(text string) setting {
	return func(value json.RawMessage) string {
		if string(value) == text {
			return ""
		}
		return text
	}
}

func one(dst *string, values ...string) setting {
	return func(value json.RawMessage) string {
		if json.Unmarshal(value, dst) == nil && slices.Contains(values, *dst) {
			return ""
		}
		return strings.Join(values, " or ")
	}
}

func number(dst *float64) setting {
	return func(value json.RawMessage) string {
		if json.Unmarshal(value, dst) == nil && string(value) != "null" {
			return ""
		}
		return "a number"
	}
}

func whole(dst *int, least int) setting {
	return func(value json.RawMessage) string {
		var n float64
		if json.Unmarshal(value, &n) == nil && string(value) != "null" && n == math.Trunc(n) && n >= float64(least) &&
			n <= mostTimesteps {
			*dst = int(n)
			return ""
		}
		return fmt.Sprintf("a whole number of %d to %d", least, mostTimesteps)
	}
}

func flag(dst *bool) setting {
	return func(value json.RawMessage) string {
		if *dst = string(value) == "true"; *dst || string(value) == "false" {
			return ""
		}
		return "true or false"
	}
}
