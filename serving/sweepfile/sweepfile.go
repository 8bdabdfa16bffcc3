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
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/curve"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Schema names the format of sweep.json. SchemaVersion is its version; within a version, fields are only added.
const (
	Schema        = "plumbline.serving"
	SchemaVersion = 1
)

// Name and CSVName are the names of the files.
const (
	Name    = "sweep.json"
	CSVName = "curve.csv"
)

// Sweep is the content of a sweep.json.
type Sweep struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schema_version"`
	Note          string `json:"note"`
	ExitCode      int    `json:"exit_code"`
	Outcome       string `json:"outcome"` // the exit code in words

	Label   string   `json:"label,omitempty"` // the user's name for the sweep
	Command []string `json:"command,omitempty"`
	// Loads is the requested loads as the user wrote them, such as "1..256". Objectives is the value of --slo.
	Loads string `json:"loads,omitempty"`
	// Flags lists, in order, all flags that determine the measurement. A sweep with the same flags is the same sweep and
	// continues.
	Flags      []string `json:"flags,omitempty"`
	Objectives string   `json:"objectives,omitempty"`

	Server record.ServingServer `json:"server"`
	Asked  record.ServingAsked  `json:"asked"`
	// ColdStart describes the start of the server, if the measurement waited for it; otherwise it is absent.
	ColdStart *ColdStart `json:"cold_start,omitempty"`

	// Complete reports that the measurement is finished. Ended is the reason for an end before the last load.
	Complete bool   `json:"complete"`
	Ended    string `json:"ended,omitempty"`

	// Indices of points. Holds lists the points that count and meet all objectives, Best is the one of them with the
	// highest goodput, Knee is the point at which the curve bends down most, and Pareto lists the points that no other
	// point exceeds in both tokens per second and speed of an answer.
	Holds  []int `json:"holds"`
	Best   *int  `json:"best"` // null: none
	Knee   *int  `json:"knee"` // null: none was found
	Pareto []int `json:"pareto"`
	// NoKnee is the point up to which the curve rises without a knee; null: there is a knee, or this cannot be determined.
	NoKnee *int `json:"no_knee_up_to"`

	// Find is the search that measured the points, if there was one.
	Find *LoadSearch `json:"find,omitempty"`

	// Share is this client's part of the load if other clients sent the rest; the figures then cover only that part.
	// Shares describes the joined parts. Absent: one client sent everything.
	Share  *ShareInfo    `json:"share,omitempty"`
	Shares *JoinedShares `json:"shares,omitempty"`

	// Points contains the records of all points in the order of measurement.
	Points []record.Run `json:"points"`
}

// ColdStart describes the start of a server for which a measurement waited.
type ColdStart struct {
	Waited      int64 `json:"waited_ns"`                 // from the first request to the first list of models
	FirstAnswer int64 `json:"first_answer_ns,omitempty"` // the duration of the first request; absent: it failed
}

// String returns "ready after 12.3 s, first answer in 1.2 s".
func (c ColdStart) String() string {
	text := "ready after " + figure.Seconds(time.Duration(c.Waited))
	if c.FirstAnswer > 0 {
		text += ", first answer in " + figure.Seconds(time.Duration(c.FirstAnswer))
	}
	return text
}

// ShareInfo contains the information about one of several clients that is needed to join their shares.
type ShareInfo struct {
	shard.Share
	// Start is the time at which the sending of all shares began, by this client's clock.
	Start time.Time `json:"start"`
	// Version is the version of the harness. Prompts is the SHA-256 of the requests of all shares together.
	Version string `json:"version"`
	Prompts string `json:"prompts"`
	// Clock is the name of the machine's clock, if it has one. ClockError is the maximum error of the clock in nanoseconds
	// according to the system; absent if unknown.
	Clock      string `json:"clock,omitempty"`
	ClockError *int64 `json:"clock_error_ns,omitempty"`
	// Steady is the steady part of a closed loop, in nanoseconds from time 0 of the share's requests; absent: none, or
	// figures include all requests.
	Steady *metrics.Window `json:"steady_ns,omitempty"`
	// Dir is the folder from which the share was read; only for joined shares.
	Dir string `json:"dir,omitempty"`
}

// JoinedShares describes the shares that were joined.
type JoinedShares struct {
	Of []ShareInfo `json:"of"`
	// Apart is the time between the starts of the first and the last share in nanoseconds. Doubt is the maximum difference
	// of their clocks; absent if unknown.
	Apart int64  `json:"began_apart_ns"`
	Doubt *int64 `json:"clocks_apart_ns,omitempty"`
}

// LoadSearch is a search for the highest load that meets all objectives. Loads are in requests per second or users.
type LoadSearch struct {
	By    arrival.Kind `json:"by"`
	Start float64      `json:"start,omitempty"` // the first load
	// Found is the highest load that meets all objectives if the server is the limit; 0: not found.
	Found float64 `json:"found"`
	// Ended is the reason for the end of the search (search.Ended): "server", "client", "data", "most" or "none". Empty:
	// it has not ended.
	Ended string `json:"ended,omitempty"`
	// Holds is the highest measured load that meets all objectives. Misses is the lowest load above it that does not.
	// ClientAt is the load at which the client is the limit. Few is a load with too few requests. 0: none.
	Holds    float64 `json:"holds,omitempty"`
	Misses   float64 `json:"misses,omitempty"`
	ClientAt float64 `json:"client_at,omitempty"`
	Few      float64 `json:"few_requests_at,omitempty"`
	// Needs is the number of requests that a trial needs. If there was not enough data, Would is the --duration, in
	// nanoseconds, or WouldRequests the --max-requests-per-point, that would have been sufficient.
	Needs         int           `json:"requests_needed,omitempty"`
	Would         time.Duration `json:"duration_needed_ns,omitempty"`
	WouldRequests int           `json:"max_requests_needed,omitempty"`
	Took          float64       `json:"took_s"` // duration of all trials in seconds
	// Trials contains all trials in order.
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
	// Verdict is the verdict on the load (search.Verdict). Again states that a longer trial would be clearer. Hopeless
	// states that even the fastest request missed an objective.
	Verdict  string `json:"verdict,omitempty"`
	Again    bool   `json:"again,omitempty"`
	Hopeless bool   `json:"hopeless,omitempty"`
	Confirms bool   `json:"confirms,omitempty"` // the trial has full length, at the load that was found
	Times    int    `json:"times,omitempty"`    // factor of the usual duration
	Point    int    `json:"point"`              // index of its point
}

// fileNote is part of every file.
const fileNote = "What was measured of a server under load; no result of a LoadGen run."

// JudgePoints sets schema and note. It determines the points that hold, the best one and the other conclusions from the
// points' records.
func (s *Sweep) JudgePoints() {
	s.Schema, s.SchemaVersion, s.Note = Schema, SchemaVersion, fileNote
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
	if s.Find == nil { // the loads of a search do not form a curve
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
	if at != curve.NoPoint {
		s.Knee = &at
	}
	if straight != curve.NoPoint {
		s.NoKnee = &straight
	}
}

// InOrder returns the points in ascending order of load. Points with equal loads keep the order of measurement.
func (s *Sweep) InOrder() []record.Run {
	all := slices.Clone(s.Points)
	slices.SortStableFunc(all, func(a, b record.Run) int { return a.Serving.Load.Compare(b.Serving.Load) })
	return all
}

// curvePoints returns the points in the form of a curve.
func (s *Sweep) curvePoints() []curve.CurvePoint {
	points := make([]curve.CurvePoint, len(s.Points))
	for i, r := range s.Points {
		points[i] = PointOf(r.Serving)
	}
	return points
}

// JSON returns the text of sweep.json.
func (s *Sweep) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the sweep as JSON: %w", err)
	}
	return append(text, '\n'), nil
}

// Write writes sweep.json atomically to a path.
func (s *Sweep) Write(path string) error {
	text, err := s.JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(path, text, 0o644)
}

// ErrSchema means that a file is not a sweep that this program can read.
var ErrSchema = errors.New("not a sweep of this version")

// Limits of files to read.
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

// Parse parses the text of a sweep.json. It recomputes the conclusions about the points from their records.
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
	if s.Complete && s.Ended == Unfinished { // written by earlier versions
		s.Ended = ""
	}
	s.JudgePoints()
	return s, nil
}
