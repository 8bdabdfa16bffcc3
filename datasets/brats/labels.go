package brats

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/nifti"
)

// Labels of published files.
const (
	publishedNonEnhancing = 1
	publishedOedema       = 2
	publishedEnhancing    = 4
	enhancing             = 3 // of converted files
)

// Labels reads the classes of the voxels of case i as scanned, 0 to 3 in C order of Shape, which the caller owns. A
// file with a 4 is a published one and is converted, one with a 3 has been; one with neither is what the layout says:
// as published below HGG and LGG, converted in labelsTr. Both in one file, and any other value, are errors.
func (s *CaseSet) Labels(i int) ([]uint8, error) {
	c := &s.cases[i]
	h, labels, err := nifti.ReadClasses(c.labels, nifti.Reversed, publishedEnhancing)
	if err == nil && reversed(h.Shape) != c.shape {
		err = fmt.Errorf("%s: shape %v, was %v before", c.labels, reversed(h.Shape), c.shape)
	}
	if err != nil {
		return nil, fault.ErrorAbout(ErrDataset, c.name, err)
	}
	var found [publishedEnhancing + 1]bool
	for _, label := range labels {
		found[label] = true
	}
	three, four := found[enhancing], found[publishedEnhancing]
	if three && four {
		return nil, fault.ErrorAbout(ErrDataset, c.name, fmt.Errorf("%s: labels 3 and 4, want 4 (as published) or 3 "+
			"(converted) for enhancing tumour", c.labels))
	}
	if !three && (four || s.raw) {
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

// noteLabels remembers what the labels of a case told.
func (s *CaseSet) noteLabels(name string, three, four bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case four:
		s.published = name
	case !three && !s.raw:
		s.unclear = name
	}
}

// Doubt is an error where the labels that were read are of both kinds, and some could be of either: published ones in a
// folder of converted ones, beside others that have no enhancing tumour.
func (s *CaseSet) Doubt() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.published == "" || s.unclear == "" {
		return nil
	}
	return fmt.Errorf("%w: the labels of %s have a 4 and are as published, those of %s have neither 3 nor 4 and may be "+
		"converted or not: convert all of them, or none and use the folders HGG and LGG", ErrDataset, s.published, s.unclear)
}
