package results

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
)

// Window is the steady window that point.yaml declares.
type Window struct {
	First   int     `json:"super_pass_start"` // counted from the beginning of the run
	Last    int     `json:"super_pass_end"`
	Size    int     `json:"super_pass_size"` // requests of a super-pass
	Seconds float64 `json:"duration_s"`
}

// newWindow reads the window of a block steady_state. It returns nil if the figures are invalid.
func newWindow(block *pyvalue.Dict) *Window {
	inner, _ := pyvalue.Field[*pyvalue.Dict](block, "window")
	known := inner != nil
	value := func(key string, least float64) float64 {
		x, ok := toFloat(numberField(inner, key))
		known = known && ok && x >= least && x <= math.MaxInt32
		return x
	}
	first, last := value("super_pass_start", 0), value("super_pass_end", 0)
	size, seconds := value("super_pass_size", 1), value("duration_s", 0)
	if !known || last < first {
		return nil
	}
	return &Window{int(first), int(last), int(size), seconds}
}

// String describes the window in words.
func (w *Window) String() string {
	return fmt.Sprintf("super-passes %d to %d, %s s", w.First, w.Last, Shown(&w.Seconds))
}

// Course is the course of a run. Each step is a super-pass, with the requests sent per second.
type Course struct {
	Ends     []float64 // ends of the steps, in seconds since the first request; one element more than steps
	PerSec   []float64
	From, To float64 // limits of the steady window, in seconds
}

// Course reads the course of a point's run from the client's events in the point's folder. It returns nil if there are
// no events or the point has no window.
func (p Point) Course() (*Course, error) {
	if p.Window == nil || p.events == "" {
		return nil, nil
	}
	root, err := bounded.OpenRoot(p.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.Open(p.events)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	run, err := steady.ReadEvents(file, p.Window.Size, nil, nil)
	if err != nil {
		return nil, err
	}
	return newCourse(run.Passes, p.Window)
}

func newCourse(passes []steady.Pass, w *Window) (*Course, error) {
	if w.Last >= len(passes) {
		return nil, fmt.Errorf("the events have %d super-passes of %d requests, and the window ends with number %d",
			len(passes), w.Size, w.Last)
	}
	since := func(ns int64) float64 { return float64(ns-passes[0].FirstIssue) / 1e9 }
	c := &Course{From: since(passes[w.First].FirstIssue), To: since(passes[w.Last].LastIssue)}
	for i, p := range passes {
		end := p.LastIssue
		if i+1 < len(passes) {
			end = passes[i+1].FirstIssue
		}
		seconds := float64(end-p.FirstIssue) / 1e9
		if seconds <= 0 {
			return nil, fmt.Errorf("the events of super-pass %d take no time", i)
		}
		c.Ends = append(c.Ends, since(p.FirstIssue))
		c.PerSec = append(c.PerSec, float64(p.Issued)/seconds)
	}
	c.Ends = append(c.Ends, since(passes[len(passes)-1].LastIssue))
	return c, nil
}
