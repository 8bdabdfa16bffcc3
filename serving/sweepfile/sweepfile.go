// Package sweepfile reads and writes the record of a sweep over the loads of a server: sweep.json, with the request and
// all measurements, and curve.csv, with a line for each point.
//
// In scope: writing and reading both. Out of scope: records of single points (package record), and which points count
// (package curve).
package sweepfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/curve"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Schema names the format of sweep.json; SchemaVersion counts its versions. Within a version fields are only added.
const (
	Schema        = "plumbline.serving"
	SchemaVersion = 1
)

// Name and CSVName are the names of the files.
const (
	Name    = "sweep.json"
	CSVName = "curve.csv"
)

// Sweep is a sweep.json.
type Sweep struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schema_version"`
	Note          string `json:"note"`
	ExitCode      int    `json:"exit_code"`
	Outcome       string `json:"outcome"` // the exit code in words

	Label   string   `json:"label,omitempty"` // the user's name of it
	Command []string `json:"command,omitempty"`
	// Loads are those that were asked for, as they were given, such as "1..256"; Objectives is --slo.
	Loads string `json:"loads,omitempty"`
	// Flags are, in order, all flags that determine the measurement. A sweep with the same flags is the same sweep and
	// continues.
	Flags      []string `json:"flags,omitempty"`
	Objectives string   `json:"objectives,omitempty"`

	Server record.ServingServer `json:"server"`
	Asked  record.ServingAsked  `json:"asked"`
	// ColdStart is how the server started, where the measurement waited for it. Absent: it did not.
	ColdStart *ColdStart `json:"cold_start,omitempty"`

	// Complete reports that the measurement is finished; Ended is the reason for an end before the last load.
	Complete bool   `json:"complete"`
	Ended    string `json:"ended,omitempty"`

	// Of the points, by their places: those that count and keep all objectives, the one of them with the most goodput,
	// where the curve bends down most, and those that no other one beats in tokens per second and speed of an answer.
	Holds  []int `json:"holds"`
	Best   *int  `json:"best"` // null: none
	Knee   *int  `json:"knee"` // null: none was found
	Pareto []int `json:"pareto"`
	// NoKnee is the point up to which the curve rises without a knee; null: there is one, or that cannot be told.
	NoKnee *int `json:"no_knee_up_to"`

	// Find is the search that the points are of, where there was one.
	Find *LoadSearch `json:"find,omitempty"`

	// Share is this client's part of the load if other clients sent the rest; the figures then cover only that part.
	// Shares are the joined parts. Absent: one client sent everything.
	Share  *ShareInfo    `json:"share,omitempty"`
	Shares *JoinedShares `json:"shares,omitempty"`

	// Points are the records of all points, in the order in which they were measured.
	Points []record.Run `json:"points"`
}

// ColdStart is the start of a server that a measurement waited for.
type ColdStart struct {
	Waited      int64 `json:"waited_ns"`                 // from the first question to the first answer about its models
	FirstAnswer int64 `json:"first_answer_ns,omitempty"` // the duration of the first request; absent: it failed
}

// String is "ready after 12.3 s, first answer in 1.2 s".
func (c ColdStart) String() string {
	text := "ready after " + figure.Seconds(time.Duration(c.Waited))
	if c.FirstAnswer > 0 {
		text += ", first answer in " + figure.Seconds(time.Duration(c.FirstAnswer))
	}
	return text
}

// ShareInfo is the information of one of several clients for joining their shares.
type ShareInfo struct {
	shard.Share
	// Start is when the sending of all shares began, by their clocks.
	Start time.Time `json:"start"`
	// Version is that of the harness, Prompts the SHA-256 of what all shares together ask for.
	Version string `json:"version"`
	Prompts string `json:"prompts"`
	// Clock names the clock of the machine, where it has a name; ClockError is by how many nanoseconds it may be wrong,
	// as the system says, and absent where it does not.
	Clock      string `json:"clock,omitempty"`
	ClockError *int64 `json:"clock_error_ns,omitempty"`
	// Steady is the steady part of a closed loop, in nanoseconds from the time 0 of the share's requests; absent: none, or
	// figures are of all requests.
	Steady *metrics.Window `json:"steady_ns,omitempty"`
	// Dir is the folder that the share was read from; only of shares that were put together.
	Dir string `json:"dir,omitempty"`
}

// JoinedShares describes the shares that were joined.
type JoinedShares struct {
	Of []ShareInfo `json:"of"`
	// Apart is how many nanoseconds the last share began after the first; Doubt by how many their clocks may have been
	// apart, at most, and absent where nobody knows.
	Apart int64  `json:"began_apart_ns"`
	Doubt *int64 `json:"clocks_apart_ns,omitempty"`
}

// LoadSearch is a search for the highest load that keeps all objectives. Loads are in requests per second, or users.
type LoadSearch struct {
	By    arrival.Kind `json:"by"`
	Start float64      `json:"start,omitempty"` // the first load
	// Found is the highest load that keeps all objectives, where the server is the limit; 0: that was not found.
	Found float64 `json:"found"`
	// Ended is what ended the search (search.Ended): "server", "client", "data", "most", "none". Empty: it is not over.
	Ended string `json:"ended,omitempty"`
	// Holds is the highest load that keeps all objectives, so far as was measured, Misses the lowest above it that does
	// not, ClientAt that at which the client is the limit, and Few that of which there were too few requests; 0: none.
	Holds    float64 `json:"holds,omitempty"`
	Misses   float64 `json:"misses,omitempty"`
	ClientAt float64 `json:"client_at,omitempty"`
	Few      float64 `json:"few_requests_at,omitempty"`
	// Needs is how many requests a trial needs. Would is the --duration, in nanoseconds, or WouldRequests the
	// --max-requests-per-point, that would have told more, where there was not enough data.
	Needs         int           `json:"requests_needed,omitempty"`
	Would         time.Duration `json:"duration_needed_ns,omitempty"`
	WouldRequests int           `json:"max_requests_needed,omitempty"`
	Took          float64       `json:"took_s"` // all trials together
	// Trials are all that were made, in their order.
	Trials []SearchTrial `json:"trials"`
}

// NamesPoint reports whether a trial refers to a point.
func (f *LoadSearch) NamesPoint(point int) bool {
	return slices.ContainsFunc(f.Trials, func(t SearchTrial) bool { return t.Point == point })
}

// SearchTrial is a trial of a search.
type SearchTrial struct {
	Value float64 `json:"value"`
	Held  bool    `json:"held"`
	// Verdict is what it says of its load (search.Verdict); Again that a longer one would tell more, and Hopeless that
	// even the quickest request missed an objective.
	Verdict  string `json:"verdict,omitempty"`
	Again    bool   `json:"again,omitempty"`
	Hopeless bool   `json:"hopeless,omitempty"`
	Confirms bool   `json:"confirms,omitempty"` // of full length, at what was found
	Times    int    `json:"times,omitempty"`    // how many times as long as usual
	Point    int    `json:"point"`              // its place among the points
}

// note stands in every file.
const note = "What was measured of a server under load; no result of a LoadGen run."

// JudgePoints sets schema and note, and says which points hold, which is the best, and so on, by their records.
func (s *Sweep) JudgePoints() {
	s.Schema, s.SchemaVersion, s.Note = Schema, SchemaVersion, note
	points := s.curvePoints()
	s.Holds, s.Best, s.Knee, s.NoKnee = []int{}, nil, nil, nil
	for i, p := range points {
		if p.Holds() {
			s.Holds = append(s.Holds, i)
		}
	}
	if at, ok := curve.BestPoint(points); ok {
		s.Best = &at
	}
	if s.Find == nil { // the loads of a search are no curve
		s.judgeKnee(points)
	}
	if s.Pareto = curve.ParetoLine(points); s.Pareto == nil {
		s.Pareto = []int{}
	}
	if s.Points == nil {
		s.Points = []record.Run{}
	}
}

func (s *Sweep) judgeKnee(points []curve.CurvePoint) {
	at, straight := curve.FindKnee(points)
	if at != curve.None {
		s.Knee = &at
	}
	if straight != curve.None {
		s.NoKnee = &straight
	}
}

// InOrder are the points in the order of their loads; those of one load in the order in which they were measured.
func (s *Sweep) InOrder() []record.Run {
	all := slices.Clone(s.Points)
	slices.SortStableFunc(all, func(a, b record.Run) int { return a.Serving.Load.Compare(b.Serving.Load) })
	return all
}

// curvePoints are the points as a curve has them.
func (s *Sweep) curvePoints() []curve.CurvePoint {
	return lists.Map(s.Points, func(r record.Run) curve.CurvePoint { return PointOf(r.Serving) })
}

// JSON is the text of sweep.json.
func (s *Sweep) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the sweep as JSON: %w", err)
	}
	return append(text, '\n'), nil
}

// Write writes sweep.json into a folder, whole or not at all.
func (s *Sweep) Write(path string) error {
	text, err := s.JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(path, text, 0o644)
}

// ErrSchema says that a file is not one that this program reads.
var ErrSchema = errors.New("not a sweep of this version")

// Bounds of what is read.
const (
	maxBytes  = 256 << 20
	maxPoints = 10_000
)

// Read reads a sweep.json.
func Read(path string) (*Sweep, error) {
	text, err := backend.ReadFile(path, maxBytes)
	if err != nil {
		return nil, err
	}
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Parse reads the text of a sweep.json. It recomputes the conclusions about the points from their records.
func Parse(text []byte) (*Sweep, error) {
	s := &Sweep{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	switch {
	case s.Schema == Schema && s.SchemaVersion > SchemaVersion:
		return nil, fmt.Errorf("%w: a newer harness wrote it: schema version %d, and this one reads up to %d; update it",
			ErrSchema, s.SchemaVersion, SchemaVersion)
	case s.Schema != Schema || s.SchemaVersion < 1:
		return nil, fmt.Errorf("%w: schema %q version %d, want %q version 1 to %d", ErrSchema, s.Schema, s.SchemaVersion,
			Schema, SchemaVersion)
	case len(s.Points) > maxPoints:
		return nil, fmt.Errorf("%w: %d points, want %d at most", ErrSchema, len(s.Points), maxPoints)
	}
	for i, r := range s.Points {
		if r.Serving == nil {
			return nil, fmt.Errorf("%w: point %d is a run of %q, and no measurement of a server", ErrSchema, i, r.Model)
		}
	}
	if s.Find != nil {
		for i, t := range s.Find.Trials {
			if t.Point < 0 || t.Point >= len(s.Points) {
				return nil, fmt.Errorf("%w: trial %d is point %d of %d", ErrSchema, i, t.Point, len(s.Points))
			}
		}
	}
	if s.Complete && s.Ended == Unfinished { // as earlier versions wrote
		s.Ended = ""
	}
	s.JudgePoints()
	return s, nil
}
