package endpoints

import (
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// ResultFiles returns the names of the files that a submission requires of a replay or of another run. CachingFile is
// optional and not among them.
func ResultFiles(replay bool) []string {
	all := []string{ConfigFile, SummaryFile, AccuracyFile}
	if replay {
		all = append(all, ScoresFile)
	}
	return all
}

// Result contains the values in a run's files that decide on a submission. Values that a file lacks are nil or 0.
type Result struct {
	Config struct {
		Type  string `yaml:"type"`
		Mode  string `yaml:"benchmark_mode"` // for the type submission: the actual type
		Model struct {
			Temperature *float64 `yaml:"temperature"`
			Seed        *float64 `yaml:"seed"`
		} `yaml:"model_params"`
		Settings struct {
			Runtime struct {
				MinDuration int64  `yaml:"min_duration_ms"`
				Schedule    uint64 `yaml:"scheduler_random_seed"`
				Data        uint64 `yaml:"dataloader_random_seed"`
			} `yaml:"runtime"`
			Load struct {
				Type        string `yaml:"type"`
				Concurrency int    `yaml:"target_concurrency"`
			} `yaml:"load_pattern"`
			Client struct {
				Workers     int `yaml:"num_workers"`
				Connections int `yaml:"max_connections"`
			} `yaml:"client"`
		} `yaml:"settings"`
	}
	Summary struct {
		Issued    int      `json:"n_samples_issued"`
		Completed int      `json:"n_samples_completed"`
		Failed    int      `json:"n_samples_failed"`
		Complete  bool     `json:"complete"`
		Duration  *float64 `json:"duration_ns"`
		QPS       *float64 `json:"qps"`
		Latency   struct {
			Mean  *float64            `json:"avg"`
			Early map[string]*float64 `json:"early_stopping_percentiles"`
		} `json:"latency"`
	}
	Accuracy struct {
		Scores []DatasetScore `json:"accuracy_scores"`
	}
	Turns struct {
		Turns *struct{ Issued, Expected, Observed, Missing int } `json:"turns"`
	}
	Caching struct {
		Test   string `json:"test"`
		Passed bool   `json:"passed"`
	}
}

// DatasetScore is the accuracy of a data set.
type DatasetScore struct {
	Dataset   string         `json:"dataset_name"`
	Type      string         `json:"dataset_type"`
	Score     *float64       `json:"score"`
	Samples   int            `json:"total_samples"`
	Breakdown map[string]any `json:"breakdown"`
}

// Parse reads one of the files ConfigFile, SummaryFile, AccuracyFile, ScoresFile and CachingFile. It does not trust the
// text.
func (r *Result) Parse(file string, text []byte) error {
	switch file {
	case ConfigFile:
		if err := formats.CheckYAML(text, maxNesting, maxValues); err != nil {
			return err
		}
		return yaml.Unmarshal(text, &r.Config)
	case SummaryFile:
		return json.Unmarshal(text, &r.Summary)
	case AccuracyFile:
		return json.Unmarshal(text, &r.Accuracy)
	case ScoresFile:
		return json.Unmarshal(text, &r.Turns)
	case CachingFile:
		return json.Unmarshal(text, &r.Caching)
	}
	return fmt.Errorf("%s is not read of a result", file)
}
