package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Config contains a round's requirements on the run of a test and on its verdict.
type Config struct {
	Test string
	// Settings are LoadGen's settings, as in an audit.config. They override all others and apply to every model.
	Settings []mlconf.Override
	// Threshold is the minimum accuracy for TEST07, in the metric's unit.
	Threshold float64
	// MinTokens and MaxTokens are the inclusive limits of TEST09's mean number of tokens per answer.
	MinTokens, MaxTokens float64
	// LimitsOrigin names the origin of the limits; empty: the round.
	LimitsOrigin string
}

// OwnData contains the values that replace a round's requirements for a plugin's own data and embedded model.
type OwnData struct {
	Samples    int     // size of the plugin's own data set for the test; 0: the data set is not the plugin's
	CardFigure float64 // value that the model card reports for the test; 0: none, or another model answers
	MinShare   float64 // minimum share of Figure for TEST07
}

// On returns the configuration for a run on a plugin's own questions. It uses the number of these questions. If the
// embedded model answers them, it scales the limits from the official model's value to the model card's value.
func (c Config) ForOwnData(o OwnData) Config {
	if o.Samples == 0 || !c.requiresEverySample() {
		return c
	}
	c.Settings = slices.Clone(c.Settings)
	for i := range c.Settings {
		if c.Settings[i].Key == countKey {
			c.Settings[i].Value = strconv.Itoa(o.Samples)
		}
	}
	if o.CardFigure == 0 {
		return c
	}
	const card = "Judged by the embedded model's card, not by the round: "
	if c.Threshold != 0 {
		c.Threshold = roundToThousandths(o.MinShare * o.CardFigure)
		c.LimitsOrigin = fmt.Sprintf("%san accuracy of %g or more, %g %% of the card's %.3f.", card, c.Threshold,
			100*o.MinShare,
			o.CardFigure)
		return c
	}
	middle := (c.MinTokens + c.MaxTokens) / 2
	c.MinTokens, c.MaxTokens = roundToThousandths(o.CardFigure*c.MinTokens/middle),
		roundToThousandths(o.CardFigure*c.MaxTokens/middle)
	c.LimitsOrigin = fmt.Sprintf("%sa mean of %g to %g tokens, the card's %.3f give or take 10 %%.", card, c.MinTokens,
		c.MaxTokens, o.CardFigure)
	return c
}

// requiresEverySample reports whether the test requires an answer to every sample of a data set and limits a mean over
// all.
func (c Config) requiresEverySample() bool { return c.Threshold+c.MaxTokens != 0 }

// issuesOnce reports whether the run issues each sample once.
func (c Config) issuesOnce() bool {
	return slices.ContainsFunc(c.Settings, func(s mlconf.Override) bool { return s.Key == uniqueKey && s.Value == "1" })
}

func roundToThousandths(x float64) float64 { return math.Round(1000*x) / 1000 }

// countKey is the setting for the number of samples of a run.
const countKey = "min_query_count"

// uniqueKey is the setting that issues each sample once.
const uniqueKey = "performance_issue_unique"

// logSeed selects which answers of an audit run are logged, in all rounds since v0.7.
const logSeed = "720381539243781796"

// logShareKey is v0.5's setting for the share of logged answers.
const logShareKey = "accuracy_log_probability"

// ConfigOf returns the configuration of a test for a model in a round. Rounds before v2.1 split TEST04 into two
// configurations, "TEST04-A" and "TEST04-B". It returns an error if the round has no configuration for the test.
// [mlconf.Rules.Audits] lists the tests that the round requires.
func ConfigOf(rules *mlconf.Rules, test, model string) (Config, error) {
	model = rules.Canonical(model)
	c := Config{Test: test}
	known, features := true, rules.AuditFeatures()
	switch test {
	case "TEST01", "TEST08":
		c.Settings = loggingSettings(loggedAnswers(model))
		if share := features.LoggedShare; share != nil {
			c.Settings = loggedShareSettings(*share)
		}
	case "TEST04", "TEST04-A", "TEST04-B":
		c.Settings, known = test04Settings(features, test, model), features.CachingInTwo == (test != "TEST04")
	case "TEST05":
		c.Settings, known = otherSeedSettings(rules), features.OtherSeeds != ""
	case "TEST06":
		c.Settings, known = append(loggingSettings("100"), overrideAll(countKey, "100"), overrideAll("min_duration", "0"),
			overrideAll("sample_concatenate_permutation", "0")), features.FirstTokens
	case "TEST07":
		known = model == gptOSS
		c.Settings, c.Threshold = everySampleSettings("990", "990", features.EachSampleOnce), 60.698
	case "TEST09":
		known = c.setLengths(model, features)
	default:
		known = false
	}
	if !known {
		return Config{}, fmt.Errorf("rules %s have no configuration of %q for %s", rules.Name, test, model)
	}
	return c, nil
}

const gptOSS = "gpt-oss-120b"

// setLengths sets TEST09's limits for a model: its reference mean plus or minus a tenth.
func (c *Config) setLengths(model string, features mlconf.AuditFeatures) bool {
	switch model {
	case gptOSS:
		c.Settings, c.MinTokens, c.MaxTokens = everySampleSettings("10000", "6396", features.EachSampleOnce), 1150.38, 1406.02
	case "e2e-rag-qna":
		c.Settings, c.MinTokens, c.MaxTokens = everySampleSettings("10000", "824", false), 246.43, 301.19
	default:
		return false
	}
	return true
}

// logTargets contains TEST01's number of logged answers by the prefix of the model's name.
var logTargets = []struct{ model, target string }{
	{"3d-unet", "64"}, {"yolo", "64"}, {"wan", "50"}, {"stable-diffusion-xl", "128"},
	{"retinanet", "256"}, {"pointpainting", "256"}, {"ssd-large", "256"}, {"ssd-resnet34", "256"},
	{"ssd-small", "1024"}, {"ssd-mobilenet", "1024"},
}

func loggedAnswers(model string) string {
	for _, t := range logTargets {
		if strings.HasPrefix(model, t.model) {
			return t.target
		}
	}
	return "4096"
}

// loggingSettings returns the settings of a performance run that logs a number of its answers.
func loggingSettings(target string) []mlconf.Override {
	return []mlconf.Override{
		overrideAll("mode", "2"), overrideAll("accuracy_log_rng_seed", logSeed), overrideAll("accuracy_log_sampling_target",
			target),
	}
}

// loggedShareSettings returns the settings of a performance run that logs a share of its answers.
func loggedShareSettings(share mlconf.LoggedShare) []mlconf.Override {
	list := []mlconf.Override{overrideAll("mode", "2"), overrideAll(logShareKey, strconv.FormatFloat(share.Percent, 'f',
		-1, 64))}
	for _, s := range loadgen.Scenarios() {
		list = append(list, mlconf.Override{Scenario: s, Key: "accuracy_log_rng_seed",
			Value: strconv.FormatUint(share.Seeds[s.String()], 10)})
	}
	return list
}

// everySampleSettings returns the settings of a run that logs all answers of a data set.
func everySampleSettings(target, count string, unique bool) []mlconf.Override {
	list := append(loggingSettings(target), overrideAll(countKey, count), overrideAll("min_duration", "0"))
	if unique {
		list = append(list, overrideAll(uniqueKey, "1"))
	}
	return append(list, overrideAll("sample_concatenate_permutation", "0"))
}

// minEstimated is the minimum number of queries for an early-stopping estimate of the 90th percentile. A shorter run is
// always INVALID, and TEST04 refuses INVALID runs.
const minEstimated = 64

// test04Settings returns the settings of TEST04, which repeats one sample (B). In old rounds, TEST04-A issues each
// sample once.
func test04Settings(features mlconf.AuditFeatures, test, model string) []mlconf.Override {
	unique, same := "0", "1"
	if test == "TEST04-A" {
		unique, same = same, unique
	}
	list := []mlconf.Override{
		overrideAll("mode", "2"), overrideAll(uniqueKey, unique), overrideAll("performance_issue_same", same),
	}
	if same == "1" {
		list = append(list, overrideAll("performance_issue_same_index", "3"))
	}
	for _, s := range []loadgen.Scenario{loadgen.Offline, loadgen.SingleStream, loadgen.MultiStream, loadgen.Server} {
		if least, ok := features.CachingQueries[model][s.String()]; ok {
			if s == loadgen.SingleStream {
				least = max(least, minEstimated)
			}
			list = append(list, mlconf.Override{Scenario: s, Key: countKey, Value: strconv.FormatUint(least, 10)})
		}
	}
	return list
}

// otherSeedSettings returns the settings of TEST05: the round's second seeds, or three fixed seeds before v3.0.
func otherSeedSettings(rules *mlconf.Rules) []mlconf.Override {
	if rules.AuditFeatures().OtherSeeds == mlconf.SecondSeeds {
		return []mlconf.Override{overrideAll("test05", "1")}
	}
	seeds, _ := rules.OtherSeeds()
	seed := func(key string, v uint64) mlconf.Override { return overrideAll(key, strconv.FormatUint(v, 10)) }
	return []mlconf.Override{
		overrideAll("mode", "2"), seed("qsl_rng_seed", seeds.QSL), seed("sample_index_rng_seed", seeds.SampleIndex),
		seed("schedule_rng_seed", seeds.Schedule),
	}
}

func overrideAll(key, value string) mlconf.Override {
	return mlconf.Override{All: true, Key: key, Value: value}
}

// ConfigText returns an audit.config with the settings and limits, for this project's LoadGen and the official one.
func (c Config) ConfigText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: MODEL.SCENARIO.KEY = VALUE; LoadGen reads the lines of model * over all other settings.\n",
		c.Test)
	for _, s := range c.Settings {
		scenario := "*"
		if !s.All {
			scenario = s.Scenario.String()
		}
		fmt.Fprintf(&b, "*.%s.%s = %s\n", scenario, s.Key, s.Value)
	}
	for _, bound := range []struct {
		key   string
		value float64
	}{{evidence.ThresholdKey, c.Threshold}, {evidence.MinTokensKey, c.MinTokens}, {evidence.MaxTokensKey, c.MaxTokens}} {
		if bound.value != 0 {
			fmt.Fprintf(&b, "*.*.%s = %s\n", bound.key, strconv.FormatFloat(bound.value, 'f', -1, 64))
		}
	}
	return b.String()
}

// Layer returns the settings as the last layer over those of a run.
func (c Config) Layer() mlconf.Layer { return mlconf.Values(c.Test+" of the rules", c.Settings...) }

// SettingsFor returns the settings for a run of one scenario.
func (c Config) SettingsFor(scenario loadgen.Scenario) []mlconf.Override {
	return slices.DeleteFunc(slices.Clone(c.Settings), func(s mlconf.Override) bool {
		return !s.All && s.Scenario != scenario
	})
}
