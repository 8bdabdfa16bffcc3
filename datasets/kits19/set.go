package kits19

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/nifti"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("kidney data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// Classes are background, kidney and tumour.
const Classes = 3

// CaseOptions contains the expected properties of a data set. The zero value is for the benchmark's data set.
type CaseOptions struct {
	// Cases to use, in this order; nil: those that the preprocessing lists, or of published data those of Cases.
	Cases []string
	Count int // use only the first Count cases; 0: all
	// LabelsOnly leaves the images unchecked: to score a finished run, the segmentations are enough.
	LabelsOnly bool
}

// CaseVolume is the image of a case.
type CaseVolume struct {
	Shape   [3]int     // depth, height, width in voxels
	Spacing [3]float64 // between voxels in millimetres; 0 where a pickle does not say
	Values  []float32  // in C order, width fastest
}

// CaseSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type CaseSet struct {
	preprocessed bool
	cases        []caseFiles
}

// caseFiles are where a case lies, and its shape.
type caseFiles struct {
	name   string
	image  string // NIfTI
	labels string // NIfTI
	pickle string // of image and labels; "": none
	shape  [3]int
	// spacing is that of the image, or of the labels where the image is not looked at.
	spacing [3]float64
}

// Open finds out the layout of dir and checks the headers of all volumes: that they can be read, have a size, are
// turned as expected, and that image, segmentation and index agree. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds.
func Open(dir string, o CaseOptions) (*CaseSet, error) {
	s, err := findCases(dir, o)
	if err != nil {
		return nil, err
	}
	var faults fault.FaultList
	faults.CheckRecords(s.Len(), s.Name, func(i int) []string { return s.checkCase(&s.cases[i], o) })
	return s, faults.Err(ErrDataset, dir)
}

// findCases returns the cases of dir, unchecked.
func findCases(dir string, o CaseOptions) (*CaseSet, error) {
	if err := fault.NoFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	for _, root := range []string{dir, filepath.Join(dir, "preprocessed_data")} {
		x, err := readIndex(root)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDataset, err)
		}
		if x != nil {
			return findPreprocessed(root, x, o)
		}
	}
	for _, root := range []string{dir, filepath.Join(dir, "data"), filepath.Join(dir, "kits19", "data")} {
		if found, err := filepath.Glob(filepath.Join(root, "case_*")); err == nil && len(found) > 0 {
			return findPublished(root, o), nil
		}
	}
	return nil, fmt.Errorf("%w %s: it holds neither preprocessed_files.pkl nor folders case_00000 and so on with "+
		"imaging.nii.gz and segmentation.nii.gz: %w",
		ErrDataset, dir, fs.ErrNotExist)
}

func findPublished(root string, o CaseOptions) *CaseSet {
	s := &CaseSet{}
	for _, name := range o.chooseCases(CaseNames()) {
		folder := filepath.Join(root, name)
		if _, err := os.Stat(folder); err != nil && name == duplicate {
			folder = filepath.Join(root, original)
		}
		s.cases = append(s.cases, caseFiles{
			name: name, image: filepath.Join(folder, "imaging.nii.gz"), labels: filepath.Join(folder, "segmentation.nii.gz"),
		})
	}
	return s
}

// chooseCases returns the cases to use of all that there are.
func (o CaseOptions) chooseCases(all []string) []string {
	if o.Cases != nil {
		all = o.Cases
	}
	if o.Count > 0 && o.Count < len(all) {
		all = all[:o.Count]
	}
	return all
}

// checkCase returns the problems of a case, and sets its shape.
func (s *CaseSet) checkCase(c *caseFiles, o CaseOptions) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	labels, err := nifti.ReadHeader(c.labels)
	if err != nil {
		add("segmentation: %v", err)
	} else {
		if c.shape != ([3]int{}) && c.shape != labels.Shape {
			add("segmentation: shape %v, want %v as the index says", labels.Shape, c.shape)
		}
		c.shape, c.spacing = labels.Shape, labels.Spacing
	}
	if o.LabelsOnly {
		return problems
	}
	if c.pickle != "" {
		if problem := tooShort(c.pickle, c.shape); problem != "" {
			add("%s", problem)
		}
		return problems
	}
	image, err := nifti.ReadHeader(c.image)
	if err != nil {
		add("image: %v", err)
		return problems
	}
	if labels != nil && image.Shape != labels.Shape {
		add("segmentation: shape %v, want %v as the image has", labels.Shape, image.Shape)
	}
	c.spacing = image.Spacing
	if problem := checkOrientation(image); problem != "" && !s.preprocessed {
		add("image: %s", problem)
	}
	return problems
}

// tooShort wants a pickle to have room for the image, of float32, and the labels, of uint8.
func tooShort(path string, shape [3]int) string {
	const each = 4 + 1
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	if want := int64(shape[0]) * int64(shape[1]) * int64(shape[2]) * each; info.Size() < want {
		return fmt.Sprintf("%s: %d bytes, want at least %d for shape %v: it is truncated", path, info.Size(), want, shape)
	}
	return ""
}

// checkOrientation requires the first axis to go from slice to slice.
func checkOrientation(h *nifti.VolumeHeader) string {
	o := h.Orientation()
	if o[0] == 'I' || o[0] == 'S' {
		return ""
	}
	return fmt.Sprintf("its axes run towards %s, want IPL: the first from slice to slice", o)
}

// Len is the number of cases.
func (s *CaseSet) Len() int { return len(s.cases) }

// Name is what case i is called.
func (s *CaseSet) Name(i int) string { return s.cases[i].name }

// Shape is the depth, height and width of case i in voxels.
func (s *CaseSet) Shape(i int) [3]int { return s.cases[i].shape }

// Spacing is how far apart the voxels of case i are along depth, height and width, in millimetres. Of an image that is
// not looked at (LabelsOnly, a pickle) it is what the segmentation says.
func (s *CaseSet) Spacing(i int) [3]float64 { return s.cases[i].spacing }

// Preprocessed is whether images are ready for the model: resampled, normalised and padded.
func (s *CaseSet) Preprocessed() bool { return s.preprocessed }

// Image reads the image of case i, which the caller owns.
func (s *CaseSet) Image(i int) (*CaseVolume, error) {
	c := &s.cases[i]
	if c.pickle != "" {
		v, err := readPickle(c.pickle, c.shape)
		return v, fault.ErrorAbout(ErrDataset, c.name, err)
	}
	h, values, err := nifti.ReadFloats(c.image, nifti.Kept)
	if err != nil {
		return nil, fault.ErrorAbout(ErrDataset, c.name, err)
	}
	return &CaseVolume{h.Shape, h.Spacing, values}, nil
}

// Labels reads the classes of the voxels of case i, 0 to 2 in C order, which the caller owns.
func (s *CaseSet) Labels(i int) ([]uint8, error) {
	c := &s.cases[i]
	_, labels, err := nifti.ReadClasses(c.labels, nifti.Kept, Classes-1)
	return labels, fault.ErrorAbout(ErrDataset, c.name, err)
}
