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

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("kidney data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// Classes is the number of classes: background, kidney and tumour.
const Classes = 3

// CaseOptions contains the expected properties of a data set. The zero value is for the benchmark's data set.
type CaseOptions struct {
	// Cases lists the cases to use, in this order. nil: the preprocessing's list, or CaseNames for published data.
	Cases []string
	Count int // use only the first Count cases; 0: all
	// LabelsOnly skips the checks of images. Scoring a finished run needs only the segmentations.
	LabelsOnly bool
}

// CaseVolume is the image of a case.
type CaseVolume struct {
	Shape   [3]int     // depth, height and width in voxels
	Spacing [3]float64 // distance between voxels in millimetres; 0 if unknown, as in a pickle
	Values  []float32  // in C order; width varies fastest
}

// CaseSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type CaseSet struct {
	preprocessed bool
	cases        []caseFiles
}

// caseFiles contains the paths and properties of a case.
type caseFiles struct {
	name   string
	image  string // path of a NIfTI file
	labels string // path of a NIfTI file
	pickle string // path of the image and labels; "": none
	shape  [3]int
	// from the image, or from the labels if the image is not read
	spacing [3]float64
}

// Open detects the layout of dir. It checks that the headers of all volumes can be read, that volumes have a valid size
// and the expected orientation, and that image, segmentation and index agree. The error is a [*FaultError] that lists
// every fault; it wraps ErrDataset.
func Open(dir string, o CaseOptions) (*CaseSet, error) {
	s, err := findCases(dir, o)
	if err != nil {
		return nil, err
	}
	var faults fault.FaultList
	faults.CheckRecords(s.Len(), s.Name, func(i int) []string { return s.checkCase(&s.cases[i], o) })
	return s, faults.Err(ErrDataset, dir)
}

// findCases returns the cases of dir without checking them.
func findCases(dir string, o CaseOptions) (*CaseSet, error) {
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
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

// chooseCases returns the cases to use from all available cases.
func (o CaseOptions) chooseCases(all []string) []string {
	if o.Cases != nil {
		all = o.Cases
	}
	if o.Count > 0 && o.Count < len(all) {
		all = all[:o.Count]
	}
	return all
}

// checkCase sets the shape of a case and returns its problems.
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
		if problem := checkPickleSize(c.pickle, c.shape); problem != "" {
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

// checkPickleSize returns a problem if a pickle is too small for the image (float32) and the labels (uint8).
func checkPickleSize(path string, shape [3]int) string {
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

// checkOrientation requires the first axis to lead from slice to slice.
func checkOrientation(h *nifti.VolumeHeader) string {
	o := h.Orientation()
	if o[0] == 'I' || o[0] == 'S' {
		return ""
	}
	return fmt.Sprintf("its axes run towards %s, want IPL: the first from slice to slice", o)
}

// Len returns the number of cases.
func (s *CaseSet) Len() int { return len(s.cases) }

// Name returns the name of case i.
func (s *CaseSet) Name(i int) string { return s.cases[i].name }

// Shape returns case i's depth, height and width in voxels.
func (s *CaseSet) Shape(i int) [3]int { return s.cases[i].shape }

// Spacing returns the distance of case i's voxels along depth, height and width, in millimetres. If the image's header
// is not read (LabelsOnly or pickles), the spacing comes from the segmentation.
func (s *CaseSet) Spacing(i int) [3]float64 { return s.cases[i].spacing }

// Preprocessed reports whether images are ready for the model: resampled, normalised and padded.
func (s *CaseSet) Preprocessed() bool { return s.preprocessed }

// Image reads the image of case i. The caller owns it.
func (s *CaseSet) Image(i int) (*CaseVolume, error) {
	c := &s.cases[i]
	if c.pickle != "" {
		v, err := readPickle(c.pickle, c.shape)
		return v, fault.WrapError(ErrDataset, c.name, err)
	}
	h, values, err := nifti.ReadFloats(c.image, nifti.NibabelOrder)
	if err != nil {
		return nil, fault.WrapError(ErrDataset, c.name, err)
	}
	return &CaseVolume{h.Shape, h.Spacing, values}, nil
}

// Labels reads the classes of case i's voxels, 0 to 2 in C order. The caller owns them.
func (s *CaseSet) Labels(i int) ([]uint8, error) {
	c := &s.cases[i]
	_, labels, err := nifti.ReadClasses(c.labels, nifti.NibabelOrder, Classes-1)
	return labels, fault.WrapError(ErrDataset, c.name, err)
}
