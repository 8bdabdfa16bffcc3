package drive

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/serving"
)

// Client makes the runs of points.
type Client interface {
	// Name returns the client's name.
	Name() string
	// ServerDescription returns the server's description of itself. It is called before each point.
	Server(ctx context.Context) (ServerDescription, error)
	// Measure makes the performance run of a point and writes its files into the job's empty folder. If ctx ends, it
	// returns ctx's cause unchanged.
	Measure(ctx context.Context, j PointJob) (PerformanceRun, error)
	// MeasureAccuracy makes the accuracy run of a point whose performance run is in the job's folder, and adds its files
	// there. A client that makes both runs at once only reads its files. If ctx ends, it returns ctx's cause unchanged.
	MeasureAccuracy(ctx context.Context, j PointJob) (AccuracyRun, error)
}

// AccuracyRun is the result of an accuracy run.
type AccuracyRun struct {
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Scores  []string  `json:"scores,omitempty"` // one line per data set
	// Missing states why there was no accuracy run, with advice; empty: there was one.
	Missing string `json:"missing,omitempty"`
}

// ServerDescription is a server's description of itself. A server with another description counts as another system.
type ServerDescription struct {
	URL     string `json:"url"`
	Kind    string `json:"kind"`    // vllm, sglang, and so on
	Version string `json:"version"` // version of its program; empty: not reported
	Model   string `json:"model"`
}

// askServer requests the description of the server at an address.
func askServer(ctx context.Context, c serving.ServerConnection, url string) (ServerDescription, error) {
	wire, err := c.Connect(ctx, url)
	if err != nil {
		return ServerDescription{}, err
	}
	defer func() { _ = wire.Close() }() // there is no buffered data
	a := wire.ServerInfo()
	return ServerDescription{URL: url, Kind: a.Kind, Version: a.Version, Model: a.Model}, nil
}

func (s ServerDescription) String() string {
	return fmt.Sprintf("%s at %s: %s %s", s.Model, s.URL, s.Kind, s.Version)
}

// PointJob is a point to measure.
type PointJob struct {
	Dir           string
	Point         plan.Point
	Seeds         endpoints.SeedSet
	DetectsWindow bool // detect a steady window; otherwise the whole run counts
	// Seconds is the minimum duration of the window, or of the run if no window is detected. Floor is the detector's own
	// minimum.
	MinSeconds, FloorSeconds float64
	IsShortened              bool // Seconds and Floor are shorter than in the rules
	// Report, if not nil, is called frequently with the progress of the point. It decides what to report.
	Report func(state fmt.Stringer)
}

// PerformanceRun is the result of a performance run.
type PerformanceRun struct {
	Passes   []steady.Pass // set if a window is detected
	PassSize int           // requests of a super-pass: the samples of the performance set
	Issued   int           // requests that count
	Took     time.Duration
	Warmup   Warmup
}

// Warmup describes the requests sent before the measurement, for point.yaml.
type Warmup struct {
	Seconds     float64  `yaml:"duration_s"`
	Issued      int      `yaml:"requests_issued"`
	Completed   int      `yaml:"requests_completed"`
	Source      string   `yaml:"data_source"`
	Concurrency int      `yaml:"concurrency"`
	Steps       []string `yaml:"initialization_steps"`
	Logs        bool     `yaml:"logs_retained"`
}
