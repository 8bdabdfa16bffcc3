package coco

import (
	"errors"
	"fmt"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrTruth     = errors.New("the annotations cannot be scored against")
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not a list of detections")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// EvalOptions contains the options of the official scripts. The zero value is their default.
type EvalOptions struct {
	// InverseMap means that a label is the category's position in the file, starting at 1, instead of its ID.
	InverseMap bool `param:"inverse_map,optional"`
	// RemoveEmpty excludes images without annotations, which leaves 4952 samples of COCO's validation set of 2017. The
	// samples then have the order of the official script's option --remove-48-empty-images: CPython's iteration order over
	// the set of image IDs, not the order of the file.
	RemoveEmpty bool `param:"remove_empty,optional"`
}

// Disagreement is a detection whose first value names another sample than its log entry. It counts for the entry's
// sample.
type Disagreement struct {
	Index uint64 // qsl_idx of the entry
	Found int64  // the sample that the payload names
}

// String returns the line that the official scripts print.
func (d Disagreement) String() string {
	return fmt.Sprintf("ERROR: loadgen(%d) and payload(%d) disagree on image_idx", d.Index, d.Found)
}

// detection is a predicted box. It takes only 24 bytes because logs contain millions. The box is in pixels, scaled in
// float32 like in the official scripts with NumPy 2.
type detection struct {
	x, y, w, h float32
	score      float32
	category   int32 // rank of the category
}

// entrySpan is the range of DetectionScorer.detections that one entry added.
type entrySpan struct{ start, end int }

// DetectionScorer stores detections until Result is called. It is not safe for concurrent use.
type DetectionScorer struct {
	options    EvalOptions
	categories []Category // in the order of the file
	ranks      rankIndex  // of categories
	names      []Category // by rank
	truths     []trueBox  // by category, then image, then position in the file
	starts     []int      // index in truths of each category's first box
	samples    []logSample
	imageCount int

	detections []detection
	seen       []bool          // by sample
	spans      []entrySpan     // by rank of image; empty for images without detections
	result     DetectionResult // the counts so far
}

// logSample describes the image of a sample.
type logSample struct {
	rank          int32   // of the image
	width, height float32 // in pixels
}

// New returns a scorer for a data set. Sample i (qsl_idx) is g.Images[i], unless EvalOptions.RemoveEmpty is set. New
// does not keep g. If IDs are repeated, sizes are below 1 or numbers are not finite, it returns an ErrTruth that lists
// them.
func New(g GroundTruth, o EvalOptions) (*DetectionScorer, error) {
	if err := checkTruth(&g); err != nil {
		return nil, err
	}
	imageIDs := make([]int64, len(g.Images))
	for i, im := range g.Images {
		imageIDs[i] = im.ID
	}
	categoryIDs := make([]int64, len(g.Categories))
	for i, c := range g.Categories {
		categoryIDs[i] = c.ID
	}
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

// Add adds one entry of the log. index is the sample (qsl_idx). payload contains its detections, 28 bytes each: seven
// little-endian float32 values: sample, ymin, xmin, ymax, xmax (as shares of the picture's height and width), score,
// label. An empty payload contains no detections; the image still counts as evaluated. If a sample has several entries,
// only the first counts; Add does not read the others. Detections of categories that the data set lacks are counted but
// have no effect. Add returns an error that lists all faults of a payload: a wrong length, numbers that are not finite
// and labels outside the range of EvalOptions.InverseMap. An entry with an error does not affect the result. Add does
// not keep payload.
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

// Result evaluates the entries added so far on all processors. More entries may be added afterwards.
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
