package dice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// headClasses is the number of classes of a head's voxels. The logits have one channel for each class.
const headClasses = 4

// Region is a part of a tumour, defined by the classes of its voxels.
type Region struct {
	Name    string // as the official script prints it
	Classes []int
}

// Regions returns the regions of BraTS. Each region contains the next one.
func Regions() [3]Region {
	return [...]Region{
		{"whole tumor", []int{1, 2, 3}}, {"tumor core", []int{2, 3}}, {"enhancing tumor", []int{3}},
	}
}

// Head is a case of the data set.
type Head struct {
	Name string
	Raw  [3]int // shape of the scanned volume in voxels: depth, height, width
	// Box returns the first voxel and the size of the prepared part of the volume. Add calls it for an entry of the case.
	Box func() (low, size [3]int, err error)
	// Labels returns the classes of the voxels, 0 to 3, in C order of Raw. Add calls it once, for the first entry of the
	// case, so that only one volume is in memory. The scorer neither keeps nor changes the slice.
	Labels func() ([]uint8, error)
}

// HeadOptions describes the format of payloads.
type HeadOptions struct {
	DType  accuracy.DType // the zero value is the official script's, float16
	Padded [3]int         // the shape of the network's output: depth, height, width
}

// HeadDTypes returns the element types of logits that the official script accepts, starting with its default.
func HeadDTypes() accuracy.DTypeList {
	return accuracy.DTypeList{
		accuracy.Float16, accuracy.Float32, accuracy.Float64, accuracy.Int8, accuracy.Int16, accuracy.Int32, accuracy.Int64,
	}
}

// HeadScore contains the DICE coefficients of the regions of one case. A coefficient is NaN if neither the truth nor
// the prediction contains the region.
type HeadScore [3]float64

// HeadCase is the score of one case.
type HeadCase struct {
	Name  string
	Score HeadScore
}

// HeadResult is the metric of one log.
type HeadResult struct {
	Cases []HeadCase // in the order of the data set
	// Regions contains the mean of each region over the cases whose score is not NaN, not rounded; NaN if all are NaN.
	Regions HeadScore
	// Mean is the mean of the regions, not rounded.
	Mean float64
	// NaNs is the number of voxels with NaN logits. The class of such a voxel is its first NaN channel.
	NaNs int
	// Unpadded contains the cases whose head fills an axis of the network's output. The official script stops at them.
	Unpadded []string
}

// HeadScorer compares volumes one at a time. It is not safe for concurrent use.
type HeadScorer struct {
	caseCounts
	heads   []Head
	options HeadOptions
	scores  []HeadScore
	result  HeadResult
}

// NewHeads returns a scorer for a data set in which sample i (qsl_idx) is heads[i]. It keeps heads and does not change
// them.
func NewHeads(heads []Head, o HeadOptions) (*HeadScorer, error) {
	var err error
	if o.DType, err = HeadDTypes().Resolve(o.DType); err != nil {
		return nil, err
	}
	var wrong accuracy.FaultList
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = h.Name
		if slices.Min(h.Raw[:]) < 1 || h.Labels == nil || h.Box == nil {
			wrong.Addf("case %d (%s): shape %v or no labels, want at least 1 voxel in each direction, and labels", i, h.Name,
				h.Raw)
		}
	}
	if slices.Min(o.Padded[:]) < 1 {
		wrong.Addf("a network's output of %v voxels, want at least 1 in each direction", o.Padded)
	}
	if err := wrong.Err(ErrTruth); err != nil {
		return nil, err
	}
	return &HeadScorer{caseCounts: caseCounts{names, make([]int, len(heads))}, heads: heads, options: o,
		scores: make([]HeadScore, len(heads))}, nil
}

// Add adds one entry of the log. index is the sample (qsl_idx). payload contains the logits of four classes for each
// voxel of the network's output, class by class in C order, one element of HeadOptions.DType each. Add rounds logits to
// float16. The highest logit determines the class: NaN ranks above all numbers, and the first of equal logits wins. Add
// counts a second entry of a sample for Result but does not read it. A wrong payload length is an error. An entry with
// an error does not affect the result. Add does not keep payload.
func (s *HeadScorer) Add(index uint64, payload []byte) error {
	if again, err := s.countRepeat(index); again || err != nil {
		return err
	}
	h := &s.heads[index]
	if want := headClasses * s.paddedVoxels() * s.options.DType.Size(); len(payload) != want {
		return fmt.Errorf("%w: sample %d (%s): %d bytes, want %d: %d logits of %v voxels of %v",
			ErrPayload, index, h.Name, len(payload), want, headClasses, s.options.Padded, s.options.DType)
	}
	labels, err := h.readLabels()
	if err != nil {
		return err
	}
	place, err := s.locateHead(h)
	if err != nil {
		return err
	}
	both, nans := s.compareVoxels(payload, labels, h, place)
	s.counts[index], s.scores[index] = 1, both.regionScores()
	s.result.NaNs += nans
	if slices.Contains([]bool{place.size[0] == s.options.Padded[0], place.size[1] == s.options.Padded[1],
		place.size[2] == s.options.Padded[2]}, true) {
		s.result.Unpadded = append(s.result.Unpadded, h.Name)
	}
	return nil
}

func (s *HeadScorer) paddedVoxels() int {
	return s.options.Padded[0] * s.options.Padded[1] * s.options.Padded[2]
}

// ScoreOf returns the score of a case that was added.
func (s *HeadScorer) ScoreOf(index uint64) HeadScore { return s.scores[index] }

// VoxelClasses returns the predicted classes of a case's scanned voxels in C order, from a payload that Add accepted.
func (s *HeadScorer) VoxelClasses(index uint64, payload []byte) ([]uint8, error) {
	h := &s.heads[index]
	place, err := s.locateHead(h)
	if err != nil {
		return nil, err
	}
	classes := make([]uint8, h.Raw[0]*h.Raw[1]*h.Raw[2])
	s.visitRows(payload, h, place, func(found []uint8, raw int) { copy(classes[raw:], found) })
	return classes, nil
}

func (h *Head) readLabels() ([]uint8, error) {
	labels, err := h.Labels()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTruth, h.Name, err)
	}
	if want := h.Raw[0] * h.Raw[1] * h.Raw[2]; len(labels) != want {
		return nil, fmt.Errorf("%w: %s: %d labels, want %d: %v voxels", ErrTruth, h.Name, len(labels), want, h.Raw)
	}
	if i := slices.IndexFunc(labels, func(l uint8) bool { return l >= headClasses }); i >= 0 {
		return nil, fmt.Errorf("%w: %s: voxel %d is %d, want 0 to 3", ErrTruth, h.Name, i, labels[i])
	}
	return labels, nil
}

// headPosition is the position of a head in its volume and in the network's output.
type headPosition struct{ low, size, padding [3]int }

func (s *HeadScorer) locateHead(h *Head) (p headPosition, err error) {
	if p.low, p.size, err = h.Box(); err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrTruth, h.Name, err)
	}
	for k, n := range p.size {
		if n < 1 || p.low[k] < 0 || p.low[k]+n > h.Raw[k] || n > s.options.Padded[k] {
			return p, fmt.Errorf("%w: %s: a head of %v voxels from %v on, want it within the volume of %v and no larger than "+
				"the network's output of %v", ErrTruth, h.Name, p.size, p.low, h.Raw, s.options.Padded)
		}
		p.padding[k] = (s.options.Padded[k] - n) / 2
	}
	return p, nil
}

// compareVoxels counts the voxels of a case by true and predicted class, and the voxels with NaN logits.
func (s *HeadScorer) compareVoxels(payload, labels []byte, h *Head, p headPosition) (matrix confusionMatrix, nans int) {
	for _, label := range labels { // the prediction is background outside the box
		if label != 0 {
			matrix[label][0]++
		}
	}
	nans = s.visitRows(payload, h, p, func(found []uint8, raw int) {
		for x, label := range labels[raw:][:len(found)] {
			if class := found[x]; class != 0 {
				matrix[label][0]--
				matrix[label][class]++
			}
		}
	})
	return matrix, nans // no score depends on correctly predicted background
}

// visitRows calls visit with the predicted classes of each row of the head and the position of the row's first voxel in
// the volume. It returns the number of voxels with a NaN logit.
func (s *HeadScorer) visitRows(payload []byte, h *Head, p headPosition, visit func(found []uint8, raw int)) (nans int) {
	padded, width := s.options.Padded, p.size[2]
	found := make([]uint8, width)
	var logits [headClasses][]byte
	for line := range p.size[0] * p.size[1] {
		z, y := line/p.size[1], line%p.size[1]
		at := ((p.padding[0]+z)*padded[1]+p.padding[1]+y)*padded[2] + p.padding[2]
		for class := range logits {
			logits[class] = float16Logits(logits[class], s.options.DType, payload, class*s.paddedVoxels()+at, width)
		}
		nans += argmaxClasses(found, &logits)
		visit(found, ((p.low[0]+z)*h.Raw[1]+p.low[1]+y)*h.Raw[2]+p.low[2])
	}
	return nans
}

// confusionMatrix counts voxels by true class and predicted class.
type confusionMatrix [headClasses][headClasses]int

// regionScores returns for each region twice the voxels in both volumes divided by the sum of the voxels in each.
func (c *confusionMatrix) regionScores() (score HeadScore) {
	for r, region := range Regions() {
		both, sum := 0, 0
		for truth := range c {
			for found, n := range c[truth] {
				in, out := slices.Contains(region.Classes, truth), slices.Contains(region.Classes, found)
				if in && out {
					both += n
				}
				if in {
					sum += n
				}
				if out {
					sum += n
				}
			}
		}
		score[r] = 2 * float64(both) / float64(sum) // 0 / 0 is NaN
	}
	return score
}

// Result returns the metric. Like the official script, it requires exactly one entry for each case; otherwise it
// returns an ErrLog that lists the missing and the repeated cases.
func (s *HeadScorer) Result() (HeadResult, error) {
	if err := s.checkComplete(); err != nil {
		return HeadResult{}, err
	}
	r := s.result
	r.Unpadded = slices.Clone(r.Unpadded)
	for i, score := range s.scores {
		r.Cases = append(r.Cases, HeadCase{s.names[i], score})
	}
	for k := range r.Regions {
		r.Regions[k] = mean(r.regionColumn(k, false))
	}
	r.Mean = (r.Regions[0] + r.Regions[1] + r.Regions[2]) / 3
	return r, nil
}

// regionColumn returns the scores of a region. It replaces NaN by 1 if nanIsOne is true, and omits NaN otherwise.
func (r HeadResult) regionColumn(region int, nanIsOne bool) (values []float64) {
	for _, c := range r.Cases {
		v := c.Score[region]
		if v != v {
			if !nanIsOne {
				continue
			}
			v = 1
		}
		values = append(values, v)
	}
	return values
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)) // NaN without values
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// PrintedMean returns the mean that the official script prints: the mean of the regions' means, each rounded to four
// decimals.
func (r HeadResult) PrintedMean() float64 {
	sum := 0.0
	for _, v := range r.Regions {
		rounded, _ := strconv.ParseFloat(fourDecimals(v), 64)
		sum += rounded
	}
	return sum / float64(len(r.Regions))
}

// String returns the line that the official script prints and the submission checker reads.
func (r HeadResult) String() string {
	text := "Accuracy: mean = " + formatDecimals(r.PrintedMean(), 5)
	for k, region := range Regions() {
		text += fmt.Sprintf(", %s = %s", region.Name, fourDecimals(r.Regions[k]))
	}
	return text
}

// CSV returns the table that the official script writes: a row for each case, then means and medians.
func (r HeadResult) CSV() string {
	lines := []string{"casename,whole tumor,tumor core,enhancing tumor"}
	add := func(name string, of func(region int) float64) {
		lines = append(lines, strings.Join([]string{name, fourDecimals(of(0)), fourDecimals(of(1)), fourDecimals(of(2))},
			","))
	}
	byName := slices.SortedStableFunc(slices.Values(r.Cases), func(a, b HeadCase) int {
		return cmp.Compare(a.Name, b.Name)
	})
	for _, c := range byName {
		add(c.Name, func(region int) float64 { return c.Score[region] })
	}
	add("mean", func(region int) float64 { return mean(r.regionColumn(region, false)) })
	add("median", func(region int) float64 { return median(r.regionColumn(region, false)) })
	add("mean (nan is 1)", func(region int) float64 { return mean(r.regionColumn(region, true)) })
	add("median (nan is 1)", func(region int) float64 { return median(r.regionColumn(region, true)) })
	return strings.Join(lines, "\n") + "\n"
}

func fourDecimals(v float64) string { return formatDecimals(v, 4) }

// formatDecimals returns v with n decimals, as Python prints it.
func formatDecimals(v float64, n int) string {
	if v != v {
		return "nan"
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}
