package brats

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/nifti"
)

// Classes in published files, and the enhancing tumour's class after conversion.
const (
	publishedNonEnhancing = 1
	publishedOedema       = 2
	publishedEnhancing    = 4
	enhancing             = 3
)

// Labels returns the classes of case i's voxels as scanned, 0 to 3, in C order of Shape. The caller owns the result. A
// file that contains a 4 is in the published form and is converted. A file that contains a 3 is already converted. For
// other files the layout decides: files below HGG and LGG are in the published form, files in labelsTr are converted. A
// file with both a 3 and a 4, or with any other value, is an error.
func (s *CaseSet) Labels(i int) ([]uint8, error) {
	c := &s.cases[i]
	h, labels, err := nifti.ReadClasses(c.labels, nifti.SimpleITKOrder, publishedEnhancing)
	if err == nil && reverseAxes(h.Shape) != c.shape {
		err = fmt.Errorf("%s: shape %v, was %v before", c.labels, reverseAxes(h.Shape), c.shape)
	}
	if err != nil {
		return nil, fault.WrapError(ErrDataset, c.name, err)
	}
	var found [publishedEnhancing + 1]bool
	for _, label := range labels {
		found[label] = true
	}
	three, four := found[enhancing], found[publishedEnhancing]
	if three && four {
		return nil, fault.WrapError(ErrDataset, c.name, fmt.Errorf("%s: labels 3 and 4, want 4 (as published) or 3 "+
			"(converted) for enhancing tumour", c.labels))
	}
	if !three && (four || s.publishedLayout) {
		convertLabels(labels)
	}
	s.noteLabels(c.name, three, four)
	return labels, nil
}

func convertLabels(labels []uint8) {
	classes := [...]uint8{0, publishedNonEnhancing: 2, publishedOedema: 1, publishedEnhancing: enhancing}
	for k, label := range labels {
		labels[k] = classes[label]
	}
}

// noteLabels records whether the labels of a case contain a 3 or a 4, for CheckAmbiguity.
func (s *CaseSet) noteLabels(name string, three, four bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case four:
		s.publishedCase = name
	case !three && !s.publishedLayout:
		s.ambiguousCase = name
	}
}

// CheckAmbiguity returns an error if the labels read so far are ambiguous: in a folder of converted labels, one case
// has published labels and another has neither a 3 nor a 4.
func (s *CaseSet) CheckAmbiguity() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.publishedCase == "" || s.ambiguousCase == "" {
		return nil
	}
	return fmt.Errorf("%w: the labels of %s have a 4 and are as published, those of %s have neither 3 nor 4 and may be "+
		"converted or not: convert all of them, or none and use the folders HGG and LGG", ErrDataset, s.publishedCase,
		s.ambiguousCase)
}
