package coco

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Errors of this package, found with errors.Is.
var (
	ErrTruth     = errors.New("the annotations cannot be scored against")
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not a list of detections")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// EvalOptions contains the options of the official scripts. The zero value is their default.
type EvalOptions struct {
	// InverseMap says that labels count the categories in the order of the file, from 1, instead of being their IDs.
	InverseMap bool `param:"inverse_map,optional"`
	// RemoveEmpty says that the samples are only the images with annotations, 4952 in COCO's validation set of 2017, and
	// in the order of the official script's option --remove-48-empty-images: that in which CPython iterates over the
	// set of their IDs, not that of the file.
	RemoveEmpty bool `param:"remove_empty,optional"`
}

// Disagreement is a detection whose first value names another sample than its log entry does. It counts for the entry's
// sample.
type Disagreement struct {
	Index uint64 // qsl_idx of the entry
	Found int64  // in the payload
}

// String is what the official scripts print.
func (d Disagreement) String() string {
	return fmt.Sprintf("ERROR: loadgen(%d) and payload(%d) disagree on image_idx", d.Index, d.Found)
}

// detection is a box as the evaluation needs it: 24 bytes, for logs hold millions. The box is in pixels, as the
// official scripts scale it: in float32, under NumPy 2.
type detection struct {
	x, y, w, h float32
	score      float32
	category   int32 // rank
}

// entrySpan is the part of DetectionScorer.detections that came in one entry.
type entrySpan struct{ start, end int }

// DetectionScorer stores detections until Result. It is not safe for concurrent use.
type DetectionScorer struct {
	options    EvalOptions
	categories []Category // in the order of the file
	ranks      rankIndex  // of categories
	names      []Category // by rank
	truths     []trueBox  // by category, image, and place in the file
	starts     []int      // of each category in truths
	samples    []logSample
	imageCount int

	detections []detection
	seen       []bool          // by sample
	spans      []entrySpan     // by rank of image; empty for images without detections
	result     DetectionResult // the counts so far
}

// logSample is the sample that an entry of the log is about.
type logSample struct {
	rank          int32   // of the image
	width, height float32 // in pixels
}

// New returns a scorer for a data set. Sample i (qsl_idx) is g.Images[i], unless EvalOptions.RemoveEmpty is set. New
// does not keep g. It returns an ErrTruth that lists repeated IDs, sizes below 1 and numbers that are not finite.
func New(g GroundTruth, o EvalOptions) (*DetectionScorer, error) {
	if err := checkTruth(&g); err != nil {
		return nil, err
	}
	imageIDs := lists.Map(g.Images, func(im Image) int64 { return im.ID })
	categoryIDs := lists.Map(g.Categories, func(c Category) int64 { return c.ID })
	images, ranks := newIndex(imageIDs), newIndex(categoryIDs)
	s := &DetectionScorer{options: o, ranks: ranks, imageCount: len(g.Images), spans: make([]entrySpan, len(g.Images))}
	s.categories = append(s.categories, g.Categories...)
	s.names = make([]Category, len(g.Categories))
	for _, c := range g.Categories {
		s.names[ranks[c.ID]] = c
	}
	s.truths, s.starts = sortTruths(g.Annotations, images, ranks)
	for _, place := range sampleOrder(&g, o, images, ranks) {
		im := g.Images[place]
		s.samples = append(s.samples, logSample{images[im.ID], float32(im.Width), float32(im.Height)})
	}
	s.seen = make([]bool, len(s.samples))
	return s, nil
}

// Add takes one entry of the log: index is the sample (qsl_idx), payload its detections, 28 bytes each: seven float32,
// little endian: sample, ymin, xmin, ymax, xmax (shares of the picture's height and width), score, label. No bytes are
// no detections, and the image counts as evaluated. Of several entries of one sample the first counts, and the others
// are not looked at. Detections of categories that the data set lacks are counted, and have no effect. Payloads of
// another length, numbers that are not finite and labels beyond EvalOptions.InverseMap's range are errors, which list
// all faults of the payload; the entry then has no effect on the result. Add does not keep payload.
func (s *DetectionScorer) Add(index uint64, payload []byte) error {
	if index >= uint64(len(s.samples)) {
		return fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(s.samples))
	}
	if s.seen[index] {
		s.result.Entries++
		s.result.Duplicates++
		return nil
	}
	start, before := len(s.detections), s.result
	if err := s.decodePayload(index, payload); err != nil {
		s.detections, s.result = s.detections[:start], before
		return err
	}
	s.seen[index] = true
	s.result.Entries++
	s.result.Images++
	if len(payload) == 0 {
		s.result.Empty++
	}
	s.spans[s.samples[index].rank] = entrySpan{start, len(s.detections)}
	return nil
}

// Result evaluates the entries added so far, with all processors. More entries may follow.
func (s *DetectionScorer) Result() (DetectionResult, error) {
	if s.result.Images == 0 {
		return DetectionResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	r := s.result
	r.Disagreements = append([]Disagreement(nil), r.Disagreements...)
	curves := s.evaluateCategories()
	r.Stats = summarizeCurves(curves)
	r.Categories = make([]CategoryAP, len(s.names))
	for k, c := range s.names {
		r.Categories[k] = CategoryAP{c, curves[k].averagePrecision()}
	}
	return r, nil
}
