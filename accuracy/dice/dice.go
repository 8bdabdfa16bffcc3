package dice

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrTruth     = errors.New("the labels cannot be scored against")
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not a volume of classes")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
	ErrLog       = errors.New("the accuracy log does not hold each case once")
)

// Case is a volume of the data set.
type Case struct {
	Name  string
	Shape [3]int // depth, height, width in voxels
	// Labels returns the classes of the voxels in C order, width fastest: 0, 1 or 2. Add calls it once, for the first
	// entry of the case, so that only one volume is in memory. The scorer neither keeps nor changes the slice.
	Labels func() ([]uint8, error)
}

func (c *Case) countVoxels() int { return c.Shape[0] * c.Shape[1] * c.Shape[2] }

// PayloadOptions describes the format of payloads. The zero value is the official script's format.
type PayloadOptions struct{ DType accuracy.DType }

// VolumeScore contains DICE coefficients from 0 to 1, not rounded.
type VolumeScore struct {
	Kidney    float64 // class 1 alone; excludes tumours in the kidney
	Tumour    float64 // class 2
	Composite float64 // the mean of Kidney and Tumour
}

// CaseScore is the score of one volume.
type CaseScore struct {
	Name string
	VolumeScore
}

// VolumeResult is the metric of one log.
type VolumeResult struct {
	Cases []CaseScore // in the order of the data set
	Mean  VolumeScore // over the cases; Mean.Composite is the benchmark's metric
}

// String returns the line that the official script prints and the submission checker reads.
func (r VolumeResult) String() string {
	return fmt.Sprintf("Accuracy: mean = %.5f, kidney = %.4f, tumor = %.4f",
		r.Mean.Composite, r.Mean.Kidney, r.Mean.Tumour)
}

// CSV returns the table that the official script writes: a row for each case and a row for the mean.
func (r VolumeResult) CSV() string {
	var b strings.Builder
	b.WriteString("case,kidney,tumor,composite\n")
	line := func(name string, s VolumeScore) {
		b.WriteString(strings.Join([]string{name, formatFloat(s.Kidney), formatFloat(s.Tumour), formatFloat(s.Composite)},
			",") + "\n")
	}
	for _, c := range r.Cases {
		line(c.Name, c.VolumeScore)
	}
	line("mean", r.Mean)
	return b.String()
}

// formatFloat returns the shortest text that parses as v, with a fraction if Python writes one.
func formatFloat(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// VolumeScorer compares volumes one at a time. It is not safe for concurrent use.
type VolumeScorer struct {
	caseCounts
	cases   []Case
	options PayloadOptions
	scores  []VolumeScore
	block   []byte
}

// New returns a scorer for a data set in which sample i (qsl_idx) is cases[i]. It keeps cases and does not change them.
func New(cases []Case, o PayloadOptions) (*VolumeScorer, error) {
	var err error
	if o.DType, err = DTypes().Resolve(o.DType); err != nil {
		return nil, err
	}
	var wrong accuracy.FaultList
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.Name
		if min(c.Shape[0], c.Shape[1], c.Shape[2]) < 1 || c.Labels == nil {
			wrong.Addf("case %d (%s): shape %v or no labels, want at least 1 voxel in each direction, and labels",
				i, c.Name, c.Shape)
		}
	}
	if err := wrong.Err(ErrTruth); err != nil {
		return nil, err
	}
	return &VolumeScorer{caseCounts: caseCounts{names, make([]int, len(cases))}, cases: cases, options: o,
		scores: make([]VolumeScore, len(cases))}, nil
}

// Add adds one entry of the log. index is the sample (qsl_idx). payload contains the classes of its voxels in C order,
// one element of PayloadOptions.DType each; fractions are truncated. Add counts a second entry of a sample for Result
// but does not read it. A wrong payload length and values that are not classes are errors. An entry with an error does
// not affect the result. Add does not keep payload.
func (s *VolumeScorer) Add(index uint64, payload []byte) error {
	if again, err := s.countRepeat(index); again || err != nil {
		return err
	}
	c := &s.cases[index]
	if want := c.countVoxels() * s.options.DType.Size(); len(payload) != want {
		return fmt.Errorf("%w: sample %d (%s): %d bytes, want %d: %v voxels of %v",
			ErrPayload, index, c.Name, len(payload), want, c.Shape, s.options.DType)
	}
	labels, err := s.readLabels(c)
	if err != nil {
		return err
	}
	o, err := s.compareVoxels(payload, labels)
	if err != nil {
		return fmt.Errorf("sample %d (%s): %w", index, c.Name, err)
	}
	s.counts[index] = 1
	s.scores[index] = newScore(o.diceOf(0), o.diceOf(1))
	return nil
}

// ScoreOf returns the score of a case that was added.
func (s *VolumeScorer) ScoreOf(index uint64) VolumeScore { return s.scores[index] }

func (s *VolumeScorer) readLabels(c *Case) ([]uint8, error) {
	labels, err := c.Labels()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTruth, c.Name, err)
	}
	if len(labels) != c.countVoxels() {
		return nil, fmt.Errorf("%w: %s: %d labels, want %d: %v voxels", ErrTruth, c.Name, len(labels), c.countVoxels(),
			c.Shape)
	}
	return labels, nil
}

// compareVoxels counts voxels. If it must convert elements, it does so in blocks that fit the processor's caches.
func (s *VolumeScorer) compareVoxels(payload, labels []byte) (voxelOverlap, error) {
	const blockSize = 1 << 14
	var o voxelOverlap
	size := s.options.DType.Size()
	for start := 0; start < len(labels); start += blockSize {
		end := min(start+blockSize, len(labels))
		place := o.addVoxels(s.predictedClasses(payload[start*size:end*size], end-start), labels[start:end])
		if place < 0 {
			continue
		}
		at := start + place
		if labels[at] > classes {
			return o, fmt.Errorf("%w: voxel %d is %d, want 0, 1 or 2", ErrTruth, at, labels[at])
		}
		return o, fmt.Errorf("%w: voxel %d is %v, want 0, 1 or 2", ErrPayload, at, s.options.DType.At(payload, at))
	}
	return o, nil
}

// predictedClasses returns the classes of the n elements of payload. If the elements are bytes, it returns payload
// itself.
func (s *VolumeScorer) predictedClasses(payload []byte, n int) []byte {
	if s.options.DType.Size() == 1 {
		return payload
	}
	s.block = append(s.block[:0], make([]byte, n)...)
	convertClasses(s.options.DType, s.block, payload)
	return s.block
}

func newScore(kidney, tumour float64) VolumeScore {
	return VolumeScore{kidney, tumour, (kidney + tumour) / 2}
}

// Result returns the metric. Like the official script, it requires exactly one entry for each case; otherwise it
// returns an ErrLog that lists the missing and the repeated cases.
func (s *VolumeScorer) Result() (VolumeResult, error) {
	if err := s.checkComplete(); err != nil {
		return VolumeResult{}, err
	}
	return s.buildResult(), nil
}

func (s *VolumeScorer) buildResult() (r VolumeResult) {
	var kidney, tumour, composite []float64
	for i, score := range s.scores {
		r.Cases = append(r.Cases, CaseScore{s.cases[i].Name, score})
		kidney, tumour = append(kidney, score.Kidney), append(tumour, score.Tumour)
		composite = append(composite, score.Composite)
	}
	r.Mean = VolumeScore{pyfloat.Mean(kidney), pyfloat.Mean(tumour), pyfloat.Mean(composite)}
	return r
}
