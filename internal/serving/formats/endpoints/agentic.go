package endpoints

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// Agentic contains the data that only replays of recorded conversations have.
type Agentic struct {
	Conversations            int
	Timeout                  time.Duration // timeout of a turn
	MinDuration, MaxDuration time.Duration // limits of the whole run's duration
	DataSeed                 uint64        // seed of the data's order; Run.Load contains the schedule's seed
	Turns                    int           // number of turns in the data
	Rounds                   int           // how often the data were replayed; 0: once
	Salt, ToolDelay          bool          // whether prompts were salted, and whether tools took the recorded time
	// Scores is the text of scores.json, and Score the score in it.
	Scores json.RawMessage
	Score  float64
	// CallAccuracy is the accuracy of function calls; nil: not measured.
	Calls *CallAccuracy
}

// CallAccuracy is the accuracy of function calls as the scorer returned it, and the duration of the accuracy run.
type CallAccuracy struct {
	Entry json.RawMessage // JSON with score, total_samples, breakdown and response_counts
	Took  time.Duration
}

// The keys of replays in the endpoints harness's configuration, in its sections model_params and agentic_inference.
const (
	keyTemperature = "temperature"
	keySeed        = "seed"
	keyMaxTokens   = "max_new_tokens"
	keyTimeout     = "turn_timeout_s"
)

// ReplayOf returns a Run with the replay settings among the harness's configuration values: temperature, seed and
// max_new_tokens of model_params, and turn_timeout_s. A value that is missing or not a number is 0. The caller sets the
// measured data.
func ReplayOf(values map[string]string) Run {
	tokens, _ := strconv.Atoi(values[keyMaxTokens])
	timeout, _ := strconv.Atoi(values[keyTimeout])
	seed, _ := strconv.ParseUint(values[keySeed], 10, 64)
	r := Run{Agentic: &Agentic{Timeout: time.Duration(timeout) * time.Second, DataSeed: seed}}
	r.Load = arrival.Pattern{Kind: arrival.Users, Users: 1, Sessions: true, Seed: seed}
	r.API, r.Stream, r.MaxTokens = prompts.Chat, true, tokens
	r.Fields = map[string]string{keyTemperature: values[keyTemperature], keySeed: values[keySeed]}
	return r
}

// replayPattern is the load_pattern type of replays.
const replayPattern = "agentic_inference"

// isReplay reports whether a run is a replay.
func (r *Run) isReplay() bool {
	return r.Agentic != nil && r.Load.Kind == arrival.Users && r.Load.Sessions
}

// Sections of a data set's configuration that only accuracy runs and replays use.
type (
	accuracyConfig struct {
		Method      string `yaml:"eval_method"`
		GroundTruth string `yaml:"ground_truth,omitempty"`
		Extractor   string `yaml:"extractor,omitempty"`
		Repeats     int    `yaml:"num_repeats"`
	}
	agenticConfig struct {
		Timeout        float64  `yaml:"turn_timeout_s"`
		Salt           bool     `yaml:"enable_salt"`
		Delay          bool     `yaml:"inject_tool_delay"`
		Headers        []string `yaml:"routing_headers"`
		Trajectories   int      `yaml:"num_trajectories_to_issue"`
		StopWhenIssued bool     `yaml:"stop_issuing_on_first_user_complete"`
	}
	generateParams struct {
		Categories []string       `yaml:"categories"`
		Percent    map[string]int `yaml:"category_sample_pct"`
		Floor      int            `yaml:"subset_floor"`
	}
)

// setReplay adds a replay's settings to a configuration.
func (c *endpointsConfig) setReplay(r Run, method mlconf.EndpointsMethod) {
	a := r.Agentic
	c.Datasets[0].Accuracy = &accuracyConfig{Method: "agentic_inference_inline", Repeats: 1}
	c.Datasets[0].Agentic = &agenticConfig{
		Timeout: a.Timeout.Seconds(), Headers: []string{"X-Session-ID"}, Trajectories: a.Conversations * max(1, a.Rounds),
		Salt: a.Salt, Delay: a.ToolDelay,
	}
	if a.Calls != nil {
		c.Datasets = append(c.Datasets, endpointsDataset{
			Name: method.Dataset, Type: "accuracy",
			Generate: &generateParams{
				Categories: []string{"non_live", "live", "hallucination"}, Floor: 25,
				Percent: map[string]int{"non_live": 62, "live": 10, "hallucination": 10},
			},
			Accuracy: accuracyConfigOf(method),
		})
	}
	s := &c.Settings
	s.Runtime.MinDuration, s.Runtime.MaxDuration, s.Runtime.Samples = a.MinDuration.Milliseconds(),
		a.MaxDuration.Milliseconds(), 0
	s.Runtime.DataSeed = a.DataSeed
	if r.Load.Users == 1 {
		s.Client.Connections = 1
	}
}

// Types of data sets and of the scores of their runs.
const (
	PerformanceType = "performance" // scored in the performance run itself
	AccuracyType    = "accuracy"
)

// ScoreEntry is the score of a data set in AccuracyFile.
type ScoreEntry struct {
	Dataset     string          `json:"dataset_name"`
	Extractor   *string         `json:"extractor"`
	GroundTruth *string         `json:"ground_truth_column"`
	Score       any             `json:"score"`        // a number, metrics by name, or nil if there is no score
	Unit        int             `json:"unit_samples"` // samples of the data set
	Repeats     int             `json:"num_repeats"`
	Samples     int             `json:"total_samples"`
	Took        float64         `json:"duration_s,omitempty"`
	Complete    bool            `json:"complete"`
	Type        string          `json:"dataset_type"`
	Breakdown   json.RawMessage `json:"breakdown,omitempty"`
	Counts      json.RawMessage `json:"response_counts,omitempty"`
}

// replayAccuracies returns the accuracies of a replay: those of function calls and of the turns.
func (e *aggregatedPoint) replayAccuracies(r Run) (all []ScoreEntry, err error) {
	a := r.Agentic
	if a.Calls != nil {
		var of struct {
			Score     float64         `json:"score"`
			Samples   int             `json:"total_samples"`
			Breakdown json.RawMessage `json:"breakdown"`
			Counts    json.RawMessage `json:"response_counts"`
		}
		if err := json.Unmarshal(a.Calls.Entry, &of); err != nil {
			return all, fmt.Errorf("the score of function calls: %w", err)
		}
		var issued struct{ Issued int }
		if err := json.Unmarshal(of.Counts, &issued); err != nil {
			return all, fmt.Errorf("the score of function calls: response_counts: %w", err)
		}
		all = append(all, ScoreEntry{
			Dataset: e.method.Dataset, Extractor: &e.method.ExtractorClass, GroundTruth: &e.method.GroundTruth,
			Score: of.Score, Unit: issued.Issued, Repeats: 1, Samples: of.Samples, Took: a.Calls.Took.Seconds(),
			Complete: of.Samples == issued.Issued, Type: AccuracyType, Breakdown: of.Breakdown, Counts: of.Counts,
		})
	}
	all = append(all, ScoreEntry{
		Dataset: PerformanceType, Score: a.Score, Unit: a.Turns, Repeats: 1, Samples: e.completed,
		Took: formats.Seconds(e.measuredTo - e.measuredFrom), Complete: len(e.samples) == a.Turns*max(1, a.Rounds),
		Type: PerformanceType,
	})
	return all, nil
}

// writeReplayFiles writes the additional files of a replay.
func (e *aggregatedPoint) writeReplayFiles(dir string, r Run) error {
	all, err := e.replayAccuracies(r)
	if err != nil {
		return err
	}
	if err := WriteScores(dir, all); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ScoresFile), r.Agentic.Scores, 0o666)
}
