package kitti3d

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// TrueObject is an annotated object of a frame.
type TrueObject struct {
	Name string // "Pedestrian", "Cyclist" or "Car"; objects with other names are not scored
	Box
	Difficulty int // 0: the object must be found; other values: it may be found or missed
}

// Frame is a sample of the data set.
type Frame struct {
	Image   int // the image number in rows of the log
	Objects []TrueObject
}

// Classes returns the names of the scored classes. Rows of the log use the index as class number.
func Classes() []string { return []string{"Pedestrian", "Cyclist", "Car"} }

// classRules contains the rules for scoring one class.
type classRules struct {
	name       string
	neutral    string  // a class whose objects may be found or missed
	minOverlap float64 // a detection matches an object if their overlap exceeds this
}

var classes = []classRules{{"Pedestrian", "Person_sitting", 0.5}, {"Cyclist", "", 0.5}, {"Car", "Van", 0.7}}

// ErrLog is wrapped by the errors for logs at which the official script stops.
var ErrLog = errors.New("the accuracy log does not fit the data set")

// foundObject is a detection: a row of the log.
type foundObject struct {
	Box
	class  int
	score  float32
	height float64 // of its box in the picture, in pixels
}

// FrameScorer collects detections. It is not safe for concurrent use.
type FrameScorer struct {
	// MissingIsEmpty treats a frame without rows as a frame without detections. Otherwise such a frame is an error.
	MissingIsEmpty bool

	frames     []Frame
	found      map[int][]foundObject // by image number
	seen       map[int]bool          // by sample
	duplicates int
}

// New returns a scorer for the frames of a data set. It keeps the frames.
func New(frames []Frame) *FrameScorer {
	return &FrameScorer{frames: frames, found: map[int][]foundObject{}, seen: map[int]bool{}}
}

const rowValues = 14

// Add adds the detections of a sample. payload contains rows of 14 little-endian float32 values: dimensions (length,
// height, width), location, rotation about y, box in the picture (left, top, right, bottom), class, score and image
// number. A row whose length is NaN or not above 0 means that the frame has no detections. A detection whose score is
// NaN or -1 or less matches nothing. If a sample has several answers, only the first counts. Errors wrap ErrLog.
func (s *FrameScorer) Add(index int, payload []byte) error {
	if s.seen[index] {
		s.duplicates++
		return nil
	}
	if len(payload) == 0 || len(payload)%(4*rowValues) != 0 {
		return fmt.Errorf("%w: sample %d has %d bytes, want rows of %d: even where nothing is found there is one", ErrLog,
			index, len(payload), 4*rowValues)
	}
	s.seen[index] = true
	for ; len(payload) > 0; payload = payload[4*rowValues:] {
		var v [rowValues]float32
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))
		}
		class, image := float64(v[11]), float64(v[13])
		if !isFinite(class) || !isFinite(image) {
			return fmt.Errorf("%w: sample %d has the class %v and the image %v, want finite numbers", ErrLog, index, class,
				image)
		}
		if _, known := s.found[int(image)]; !known {
			s.found[int(image)] = nil
		}
		if !(v[0] > 0) {
			continue
		}
		if class := int(class); class < 0 || class >= len(classes) {
			return fmt.Errorf("%w: sample %d has the class %v, want one of 0 to %d", ErrLog, index, v[11], len(classes)-1)
		}
		s.found[int(image)] = append(s.found[int(image)], foundObject{
			Box:   Box{Dimensions: [3]float32(v[0:3]), Location: [3]float32(v[3:6]), RotationY: v[6]},
			class: int(class), score: v[12], height: float64(v[10]) - float64(v[8]),
		})
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// PrecisionResult contains average precisions.
type PrecisionResult struct {
	// Classes contains the average precision of each class in the order of the function Classes, 0 to 100. It is a sum
	// over 11 recall values; to reach all of them a class needs 41 found objects. It is NaN if at some score threshold no
	// detection is right or wrong.
	Classes    [3]float64
	Total      float64 // the mean of Classes, which the official script calls mAP; 0 to 100
	Duplicates int     // repeated answers to a sample, which are ignored
	Empty      int     // frames without detections
	Missing    int     // frames without rows, if they count as empty
	// Found counts all detections. UpsideDown counts those whose box in the picture is upside down; they are neither right
	// nor wrong.
	Found, UpsideDown int
	// Unscored counts the detections with a NaN score. They match nothing and do not count as wrong.
	Unscored int
}

// Result scores the added detections. If frames have no rows and MissingIsEmpty is false, it returns an error that
// lists them and wraps ErrLog.
func (s *FrameScorer) Result() (PrecisionResult, error) {
	var missing []string
	for _, f := range s.frames {
		if _, ok := s.found[f.Image]; !ok {
			missing = append(missing, fmt.Sprint(f.Image))
		}
	}
	if n := len(missing); n > 0 && !s.MissingIsEmpty {
		return PrecisionResult{}, fmt.Errorf("%w: %d of %d frames have no answer: %s", ErrLog, n, len(s.frames),
			strings.Join(missing[:min(n, 10)], ", "))
	}
	r := PrecisionResult{Duplicates: s.duplicates, Missing: len(missing)}
	for _, found := range s.found {
		r.Found += len(found)
		if len(found) == 0 {
			r.Empty++
		}
		for _, d := range found {
			if d.height < -1 {
				r.UpsideDown++
			}
			if math.IsNaN(float64(d.score)) {
				r.Unscored++
			}
		}
	}
	for i := range classes {
		r.Classes[i] = s.averagePrecision(i)
		r.Total += r.Classes[i]
	}
	r.Total /= float64(len(classes))
	return r, nil
}

// Text returns the result in the form that the official script prints.
func (r PrecisionResult) Text() string {
	var out strings.Builder
	out.WriteByte('{')
	for i, c := range classes {
		fmt.Fprintf(&out, "'%s': [%s], ", c.name, pyfloat.Repr(r.Classes[i]))
	}
	fmt.Fprintf(&out, "'Total': %s}", pyfloat.Repr(r.Total))
	return out.String()
}
