package drive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/record/output"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Options selects the runs to make.
type Options struct {
	Plan   *plan.Plan // must be without errors by Judge
	Rules  *endpoints.Rules
	Client Client
	Out    string // output folder; a folder with points of the same curve is resumed
	Force  bool   // replace another curve in the folder
	// Rehearsal marks the points, so no check accepts them. This program's own client always makes rehearsals. Shorten is
	// a divisor of all minimum times, 1 or more. Above 1, the run is a rehearsal.
	Rehearsal   bool
	TimeDivisor float64
	// ReportInterval is the interval of progress lines. Say receives all lines.
	ReportInterval time.Duration
	Say            func(line string)
}

// CurveFile is the name of the file that lists the measured points.
const CurveFile = "curve.json"

// maxCurveSize is the maximum size of CurveFile in bytes.
const maxCurveSize = 16 << 20

// Curve contains the measured points of a plan.
type Curve struct {
	Rules     string            `json:"rules"`
	Model     string            `json:"model"`
	CMax      int               `json:"c_max"`
	SeedSet   string            `json:"seed_set"`
	Client    string            `json:"client"`
	Rehearsal bool              `json:"rehearsal"` // no check accepts its points
	Shorten   float64           `json:"shorten"`   // divisor of the minimum times
	Server    ServerDescription `json:"server"`
	Points    []MeasuredPoint   `json:"points"`
}

// MeasuredPoint is a measured point.
type MeasuredPoint struct {
	Point   plan.Point    `json:"point"`
	Began   time.Time     `json:"began"`
	Seconds float64       `json:"seconds"` // duration of the performance run
	Issued  int           `json:"issued"`
	Steady  *steady.Block `json:"steady_state,omitempty"`
	// Accuracy is the result of the accuracy run; nil: none is due, or it has not been made yet.
	Accuracy *AccuracyRun  `json:"accuracy,omitempty"`
	Files    []record.File `json:"files"` // paths relative to the curve's folder
}

// lacksAccuracy reports whether an accuracy run is due and has not been made.
func (k *MeasuredPoint) lacksAccuracy() bool {
	return k.Point.Accuracy && (k.Accuracy == nil || k.Accuracy.Missing != "")
}

// ErrServerChanged reports that the server is not the one with which the curve began.
var ErrServerChanged = errors.New("the server has changed")

// curveRun is the state of Run.
type curveRun struct {
	Options
	curve Curve
}

// isRehearsal reports whether the points are rehearsals, which no check accepts.
func (r *curveRun) isRehearsal() bool {
	return r.Client.Name() == OwnName || r.Rehearsal || r.TimeDivisor > 1
}

// RunCurve makes all missing runs of points in the order of the plan. If ctx ends, it returns ctx's cause unchanged.
// Completed points are kept, and the next Run resumes.
func RunCurve(ctx context.Context, o Options) (Curve, error) {
	o.TimeDivisor = max(o.TimeDivisor, 1)
	r := &curveRun{Options: o}
	claim, err := output.Hold(o.Out)
	if err != nil {
		return Curve{}, err
	}
	defer claim.Release()
	if err := r.openCurve(); err != nil {
		return Curve{}, err
	}
	for _, q := range r.Plan.Points {
		if err := r.makePoint(ctx, q); err != nil {
			return r.curve, err
		}
	}
	return r.curve, nil
}

// openCurve reads the existing points of the curve.
func (r *curveRun) openCurve() error {
	p := r.Plan
	r.curve = Curve{Rules: p.Rules, Model: p.Model, CMax: p.CMax, SeedSet: p.SeedSet, Client: r.Client.Name(),
		Rehearsal: r.isRehearsal(), Shorten: r.TimeDivisor}
	there, err := ReadCurve(r.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !r.Force:
		return sdk.Usage(fmt.Errorf("--out %s: %w; give another folder, or --force to replace what is there", r.Out, err))
	case err != nil:
		return nil
	}
	mine := r.curve
	mine.Server, mine.Points = there.Server, there.Points
	if text, same := curveDifference(*there, mine); !same {
		if !r.Force {
			return sdk.Usage(fmt.Errorf("--out %s: it holds another curve: %s; give another folder, or --force to replace it",
				r.Out, text))
		}
		return nil
	}
	r.curve.Server = there.Server
	for _, k := range there.Points {
		r.keepEarlier(k)
	}
	return nil
}

// curveDifference returns the first difference between two curves apart from server and points.
func curveDifference(there, here Curve) (text string, same bool) {
	for _, v := range []struct {
		name        string
		there, here any
	}{{"rules", there.Rules, here.Rules}, {"model", there.Model, here.Model}, {"c_max", there.CMax, here.CMax},
		{"seed_set", there.SeedSet, here.SeedSet}, {"client", there.Client, here.Client},
		{"rehearsal", there.Rehearsal, here.Rehearsal}, {"shorten", there.Shorten, here.Shorten}} {
		if v.there != v.here {
			return fmt.Sprintf("its %s is %v, not %v", v.name, v.there, v.here), false
		}
	}
	return "", true
}

// keepEarlier keeps an existing point if its files are unchanged and the plan still contains it unchanged.
func (r *curveRun) keepEarlier(k MeasuredPoint) {
	name := k.Point.Name()
	i := slices.IndexFunc(r.Plan.Points, func(q plan.Point) bool { return q.Concurrency == k.Point.Concurrency })
	if i < 0 {
		r.sayf("%s is no point of the plan any more: its folder stays, and does not count", name)
		return
	}
	mine, was := r.Plan.Points[i], k.Point
	mine.Why, was.Why = "", ""
	if mine != was {
		r.sayf("%s is measured again: the plan has changed", name)
	} else if err := record.CheckFiles(r.Out, k.Files); err != nil {
		r.sayf("%s is measured again: %v", name, err)
	} else {
		text := ""
		if k.lacksAccuracy() {
			text = ", but for its accuracy run"
		}
		r.sayf("%s is there, and not measured again%s", name, text)
		r.curve.Points = append(r.curve.Points, k)
	}
}

func (r *curveRun) sayf(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}

// ReadCurve reads the measured points in a folder.
func ReadCurve(dir string) (*Curve, error) {
	text, err := bounded.ReadFile(filepath.Join(dir, CurveFile), maxCurveSize)
	if err != nil {
		return nil, err
	}
	var c Curve
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%s is no list of points: %w", CurveFile, err)
	}
	return &c, nil
}

// saveCurve writes curve.json.
func (r *curveRun) saveCurve() error {
	slices.SortFunc(r.curve.Points, func(a, b MeasuredPoint) int {
		return cmp.Compare(a.Point.Concurrency,
			b.Point.Concurrency)
	})
	text, err := json.MarshalIndent(r.curve, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(r.Out, CurveFile), append(text, '\n'), 0o644)
}

// makePoint makes the missing runs of a point.
func (r *curveRun) makePoint(ctx context.Context, q plan.Point) error {
	there := func(k MeasuredPoint) bool { return k.Point.Concurrency == q.Concurrency }
	if !slices.ContainsFunc(r.curve.Points, there) {
		if err := r.measurePoint(ctx, q); err != nil {
			return err
		}
	}
	k := &r.curve.Points[slices.IndexFunc(r.curve.Points, there)]
	if k.lacksAccuracy() {
		return r.measureAccuracy(ctx, k)
	}
	return nil
}

// measurePoint makes the performance run of a point.
func (r *curveRun) measurePoint(ctx context.Context, q plan.Point) error {
	if err := r.checkServer(ctx); err != nil {
		return err
	}
	j := r.newJob(q)
	if err := r.makeEmptyFolder(q.Name()); err != nil {
		return err
	}
	r.sayf("%s: %d users, at least %d super-passes and %s", q.Name(), q.Concurrency, q.Passes, formatSeconds(j.MinSeconds))
	began := time.Now()
	m, err := r.Client.Measure(ctx, j)
	if err != nil {
		return fmt.Errorf("%s: %w", q.Name(), err)
	}
	k := MeasuredPoint{Point: q, Began: began, Seconds: m.Took.Seconds(), Issued: m.Issued, Steady: j.steadyBlock(m)}
	if err := r.writePoint(j, m, k.Steady); err != nil {
		return err
	}
	if k.Files, err = record.FilesIn(j.Dir, q.Name()); err != nil {
		return err
	}
	r.curve.Points = append(r.curve.Points, k)
	r.sayf("%s", k)
	return r.saveCurve()
}

// measureAccuracy makes the accuracy run of a measured point.
func (r *curveRun) measureAccuracy(ctx context.Context, k *MeasuredPoint) error {
	if err := r.checkServer(ctx); err != nil {
		return err
	}
	name, j := k.Point.Name(), r.newJob(k.Point)
	run, err := r.Client.MeasureAccuracy(ctx, j)
	if err != nil {
		return fmt.Errorf("%s: accuracy: %w", name, err)
	}
	if k.Files, err = record.FilesIn(j.Dir, name); err != nil {
		return err
	}
	if k.Accuracy = &run; run.Missing != "" {
		r.sayf("%s: no accuracy run: %s", name, run.Missing)
	}
	for _, line := range run.Scores {
		r.sayf("%s: accuracy: %s", name, line)
	}
	return r.saveCurve()
}

// replacedDir contains the previous files of points that are measured again or were interrupted.
const replacedDir = "replaced"

// makeEmptyFolder creates an empty folder for a point. It moves existing files to replacedDir.
func (r *curveRun) makeEmptyFolder(name string) error {
	dir, aside := filepath.Join(r.Out, name), filepath.Join(r.Out, replacedDir, name)
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		err := errors.Join(os.MkdirAll(filepath.Dir(aside), 0o755), os.RemoveAll(aside))
		if err == nil {
			err = os.Rename(dir, aside)
		}
		if err != nil {
			return err
		}
		r.sayf("%s: what is there is no whole point, and moves to %s/%s", name, replacedDir, name)
	}
	return os.MkdirAll(dir, 0o755)
}

// String returns the result of a point as a line.
func (k MeasuredPoint) String() string {
	text := fmt.Sprintf("%s: done, %d requests in %s", k.Point.Name(), k.Issued, formatSeconds(k.Seconds))
	if k.Steady == nil {
		return text + "; the whole run counts"
	}
	text += fmt.Sprintf("; %s, %s", k.Steady.Status, k.Steady.Verdict)
	if w := k.Steady.Window; w != nil && k.Steady.Status == steady.Windowable {
		return text + fmt.Sprintf(", super-passes %d to %d, %s", w.Start, w.End, formatSeconds(w.Duration))
	}
	return text + ": the whole run counts"
}

// newJob returns the job for a point.
func (r *curveRun) newJob(q plan.Point) PointJob {
	last := time.Now()
	tell := func(s fmt.Stringer) {
		if r.ReportInterval > 0 && time.Since(last) >= r.ReportInterval {
			last = time.Now()
			r.sayf("%s", s)
		}
	}
	return PointJob{Dir: filepath.Join(r.Out, q.Name()), Point: q, Seeds: *r.Rules.SeedSetOf(r.Plan.SeedSet),
		DetectsWindow: r.Plan.HasWindow(q, r.Rules), MinSeconds: float64(q.WindowSeconds) / r.TimeDivisor,
		IsShortened:  r.TimeDivisor > 1,
		FloorSeconds: steady.FloorSeconds / r.TimeDivisor, Report: tell}
}

// steadyBlock returns the steady state of a run, or nil if no window is detected.
func (j PointJob) steadyBlock(m PerformanceRun) *steady.Block {
	if !j.DetectsWindow {
		return nil
	}
	b := steady.Detect(m.Passes, steady.Options{Floor: j.FloorSeconds}).Block(m.Issued, m.PassSize, j.MinSeconds)
	return &b
}

// checkServer requests the server's description and returns an error if it has changed since the curve began.
func (r *curveRun) checkServer(ctx context.Context) error {
	now, err := r.Client.Server(ctx)
	if err != nil {
		return err
	}
	if r.curve.Server == (ServerDescription{}) {
		r.curve.Server = now
		r.sayf("%s", now)
	}
	if now != r.curve.Server {
		return sdk.Data(fmt.Errorf("%w: it was %v, and is %v; the points that were measured are kept, and another --out "+
			"begins another curve", ErrServerChanged, r.curve.Server, now))
	}
	return nil
}
