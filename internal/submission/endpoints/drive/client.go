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
	// Name says which client it is.
	Name() string
	// Server asks the server what it is, before each point.
	Server(ctx context.Context) (Server, error)
	// Measure makes the performance run of a point, and writes its files into the job's folder, which is empty. The end of
	// ctx is returned as it is.
	Measure(ctx context.Context, j Job) (Measured, error)
	// MeasureAccuracy makes the accuracy run of a point whose performance run is in the job's folder, and adds its files
	// there. A client that makes both at once only reads what it wrote. The end of ctx is returned as it is.
	MeasureAccuracy(ctx context.Context, j Job) (AccuracyRun, error)
}

// AccuracyRun is the result of an accuracy run.
type AccuracyRun struct {
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Scores  []string  `json:"scores,omitempty"` // a line of each data set
	// Missing says why there was none, and what to do; empty: there was one.
	Missing string `json:"missing,omitempty"`
}

// Server is a server's description of itself. A server with a different description is another system.
type Server struct {
	URL     string `json:"url"`
	Kind    string `json:"kind"`    // vllm, sglang, and so on
	Version string `json:"version"` // of its program; empty: it does not tell
	Model   string `json:"model"`
}

// askServer asks the server at an address what it is.
func askServer(ctx context.Context, c serving.ServerConnection, url string) (Server, error) {
	wire, err := c.Connect(ctx, url)
	if err != nil {
		return Server{}, err
	}
	defer func() { _ = wire.Close() }() // nothing is written
	a := wire.ServerInfo()
	return Server{URL: url, Kind: a.Kind, Version: a.Version, Model: a.Model}, nil
}

func (s Server) String() string {
	return fmt.Sprintf("%s at %s: %s %s", s.Model, s.URL, s.Kind, s.Version)
}

// Job is a point to be measured.
type Job struct {
	Dir     string
	Point   plan.Point
	Seeds   endpoints.SeedSet
	Windows bool // a steady window is looked for; else the whole run counts
	// Seconds is the least time of the window, or of the run where there is none, and Floor the detector's own.
	Seconds, Floor float64
	Shortened      bool // Seconds and Floor are not those of the rules
	// Tell gets how far the point is, often: it says so now and then. Nil: nobody asks.
	Tell func(state fmt.Stringer)
}

// Measured is the result of a performance run.
type Measured struct {
	Passes []steady.Pass // where a window is looked for
	Size   int           // requests of a super-pass: the samples of the performance set
	Issued int           // requests that count
	Took   time.Duration
	Warmup Warmup
}

// Warmup declares the requests sent before the measurement.
type Warmup struct {
	Seconds     float64  `yaml:"duration_s"`
	Issued      int      `yaml:"requests_issued"`
	Completed   int      `yaml:"requests_completed"`
	Source      string   `yaml:"data_source"`
	Concurrency int      `yaml:"concurrency"`
	Steps       []string `yaml:"initialization_steps"`
	Logs        bool     `yaml:"logs_retained"`
}
