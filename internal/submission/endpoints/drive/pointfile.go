package drive

import (
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
)

// PointFile is the name of the file with a point's disclosures.
const PointFile = "point.yaml"

// pointHead is the beginning of point.yaml.
const pointHead = `# What is disclosed of this point, as far as its run tells. The division, the model's precision and
# links, and the pointers to src/ and docs/ are to be added before it is submitted.
`

// disclosure is the part of point.yaml that the plan and the run determine.
type disclosure struct {
	Concurrency int              `yaml:"concurrency"`
	Region      endpoints.Region `yaml:"region"`
	Offline     string           `yaml:"offline,omitempty"`
	Dataset     string           `yaml:"dataset"`
	Client      string           `yaml:"client"`
	Rehearsal   bool             `yaml:"rehearsal,omitempty"`
	Settings    runtimeSettings  `yaml:"runtime_settings"`
	Warmup      Warmup           `yaml:"warmup"`
	CMax        int              `yaml:"max_supported_concurrency"`
	CMin        int              `yaml:"c_min_override,omitempty"`
	Model       string           `yaml:"model_name"`
	DatasetName string           `yaml:"dataset_name"`
	DatasetType string           `yaml:"dataset_type"`
	SeedSet     string           `yaml:"seed_set"`
	Cohort      string           `yaml:"target_cohort"`
	Steady      *steady.Block    `yaml:"steady_state,omitempty"`
}

type runtimeSettings struct {
	Load        string `yaml:"load_pattern"`
	MinDuration int64  `yaml:"min_duration_ms"`
	AllChunks   bool   `yaml:"stream_all_chunks"`
	Runtime     struct {
		Scheduler   uint64 `yaml:"scheduler_rng_seed"`
		SampleIndex uint64 `yaml:"sample_index_rng_seed"`
		Model       uint64 `yaml:"model_seed"`
	} `yaml:"runtime"`
}

// writePoint writes point.yaml of a measured point.
func (r *curveRun) writePoint(j PointJob, m PerformanceRun, block *steady.Block) error {
	p, q := r.Plan, j.Point
	d := disclosure{Concurrency: q.Concurrency, Region: q.Region, Offline: q.Offline, Dataset: p.Model + "-perf",
		Client: r.Client.Name(), Rehearsal: r.isRehearsal(), Warmup: m.Warmup, CMax: p.CMax, CMin: p.CMin, Model: p.Model,
		DatasetName: filepath.Base(p.Client.PerformanceSet), DatasetType: "Performance", SeedSet: p.SeedSet, Cohort: p.Cohort,
		Steady: block}
	s := &d.Settings
	s.Load, s.MinDuration, s.AllChunks = "concurrency", int64(j.MinSeconds*1000), true
	switch {
	case q.Offline == plan.Dedicated:
		s.Load = "max_throughput"
	case p.IsAgentic(r.Rules):
		s.Load = "agentic_inference"
	}
	s.Runtime.Scheduler, s.Runtime.SampleIndex, s.Runtime.Model = j.Seeds.Scheduler, j.Seeds.SampleIndex, j.Seeds.Model
	text, err := yaml.MarshalWithOptions(d, yaml.IndentSequence(false))
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(j.Dir, PointFile), append([]byte(pointHead), text...), 0o644)
}
