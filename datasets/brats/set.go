package brats

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/nifti"
	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("brain tumour data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// Properties of the data set.
const (
	Channels = 4
	Classes  = 4 // background, oedema, non-enhancing and enhancing tumour
)

// CaseOptions contains the expected properties of a data set. The zero value is for the benchmark's data set.
type CaseOptions struct {
	// Fold is a file with the names of the cases to use, one per line. Empty: use the preprocessing's list, else FoldFile
	// in the folder, else CaseNames.
	Fold  string
	Count int // use only the first Count cases; 0: all
	// Labels is the folder of the NAME.nii.gz files. Empty: use the layout's folder.
	Labels string
	// LabelsOnly skips the images of preprocessed cases, which may then be missing.
	LabelsOnly bool
	// Padded is the required shape of preprocessed images. Zero: any shape.
	Padded [3]int
}

// HeadPlacement is the position of a preprocessed head in its volume.
type HeadPlacement struct {
	Raw  [3]int // shape of the volume as scanned
	Low  [3]int // first voxel of the head's box in the volume
	Size [3]int // size of the box
}

// CaseSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type CaseSet struct {
	layout          folderLayout
	cases           []caseFiles
	padded          [3]int
	publishedLayout bool // labels are at their published places

	mu            sync.Mutex
	publishedCase string // a case whose labels contain a 4
	ambiguousCase string // a case in labelsTr whose labels contain neither a 3 nor a 4
}

// folderLayout identifies the layout of a data set's folder.
type folderLayout int

const (
	published folderLayout = iota
	renamed
	preprocessed
)

// caseFiles contains the paths and the properties of a case.
type caseFiles struct {
	name      string
	channels  [Channels]string // paths of NIfTI files
	labels    string           // path of a NIfTI file
	pickle    string           // path of the prepared image and its position
	placement HeadPlacement    // for preprocessed cases only
	shape     [3]int           // of the scanned volume
}

// Open detects the layout of dir. It checks that the headers of all volumes can be read, that the channels and labels
// of a case have the same size, and that no volume needs resampling. For preprocessed cases it checks the pickles
// instead. The error is a [*FaultError] that lists every fault; it wraps ErrDataset.
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
		if fault.PathExists(filepath.Join(root, indexPickle)) {
			return findPreprocessed(root, o)
		}
	}
	for _, root := range []string{dir, filepath.Join(dir, "MICCAI_BraTS_2019_Data_Training")} {
		if fault.PathExists(filepath.Join(root, "HGG")) || fault.PathExists(filepath.Join(root, "LGG")) {
			return findListedCases(root, published, o)
		}
	}
	for _, root := range []string{dir, filepath.Join(dir, filepath.FromSlash(renamedFolder))} {
		if fault.PathExists(filepath.Join(root, "imagesTr")) {
			return findListedCases(root, renamed, o)
		}
	}
	return nil, fmt.Errorf("%w %s: it holds neither %s, nor folders HGG and LGG with CASE/CASE_t1.nii.gz and so on, nor "+
		"imagesTr and labelsTr: %w", ErrDataset, dir, indexPickle, fs.ErrNotExist)
}

// renamedFolder is the reference's folder of renamed files, relative to its build folder.
const renamedFolder = "raw_data/nnUNet_raw_data/Task043_BraTS2019"

// findListedCases returns the cases that listedNames lists, with their paths in layout l.
func findListedCases(root string, l folderLayout, o CaseOptions) (*CaseSet, error) {
	names, err := listedNames(root, o)
	if err != nil {
		return nil, err
	}
	s := &CaseSet{layout: l, publishedLayout: l == published && o.Labels == ""}
	for _, name := range names {
		c := caseFiles{name: name}
		grade, id, _ := strings.Cut(name, "__")
		folder := filepath.Join(root, grade, id, id)
		for k, channel := range []string{"t1", "t1ce", "t2", "flair"} {
			c.channels[k] = fmt.Sprintf("%s_%s.nii.gz", folder, channel)
			if l == renamed {
				c.channels[k] = filepath.Join(root, "imagesTr", fmt.Sprintf("%s_%04d.nii.gz", name, k))
			}
		}
		c.labels = folder + "_seg.nii.gz"
		if l == renamed || o.Labels != "" {
			c.labels = labelsPath(o.Labels, filepath.Join(root, "labelsTr"), name)
		}
		s.cases = append(s.cases, c)
	}
	return s, nil
}

// listedNames returns the cases to use if the data set contains no list.
func listedNames(root string, o CaseOptions) ([]string, error) {
	names, path := CaseNames(), o.Fold
	if path == "" && fault.PathExists(filepath.Join(root, FoldFile)) {
		path = filepath.Join(root, FoldFile)
	}
	if path != "" {
		var err error
		if names, err = readFold(path); err != nil {
			return nil, fmt.Errorf("%w: list of cases: %w", ErrDataset, err)
		}
	}
	return o.firstNames(names), nil
}

func (o CaseOptions) firstNames(names []string) []string {
	if o.Count > 0 && o.Count < len(names) {
		return names[:o.Count]
	}
	return names
}

// labelsPath returns the path of a case's labels in the folder override, or in folder if override is empty.
func labelsPath(override, folder, name string) string {
	if override != "" {
		folder = override
	}
	return filepath.Join(folder, name+".nii.gz")
}

// checkCase sets the shape of a case and returns its problems.
func (s *CaseSet) checkCase(c *caseFiles, o CaseOptions) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if s.layout == preprocessed {
		if err := c.readPlacement(o); err != nil {
			add("%v", err)
		}
		c.shape = c.placement.Raw
	} else {
		for k, path := range c.channels {
			h, err := nifti.ReadHeader(path)
			if err != nil {
				add("channel %d: %v", k, err)
				continue
			}
			if problem := checkSpacing(h); problem != "" {
				add("channel %d: %s", k, problem)
			}
			if shape := reverseAxes(h.Shape); c.shape == ([3]int{}) {
				c.shape = shape
			} else if shape != c.shape {
				add("channel %d: shape %v, want %v as the other channels have", k, shape, c.shape)
			}
		}
	}
	labels, err := nifti.ReadHeader(c.labels)
	switch {
	case err != nil:
		add("labels: %v", err)
	case c.shape != ([3]int{}) && reverseAxes(labels.Shape) != c.shape:
		add("labels: shape %v, want %v as the channels have", reverseAxes(labels.Shape), c.shape)
	}
	return problems
}

// checkSpacing requires a spacing so close to one millimetre that resampling would not change the size.
func checkSpacing(h *nifti.VolumeHeader) string {
	for k, spacing := range h.Spacing {
		if n := float64(h.Shape[k]); !(spacing*n > n-0.5 && spacing*n < n+0.5) {
			return fmt.Sprintf("spacing %v mm, want 1 mm: volumes are not resampled", reverseAxes(h.Spacing))
		}
	}
	return ""
}

func reverseAxes[T any](v [3]T) [3]T { return [3]T{v[2], v[1], v[0]} }

// Len returns the number of cases.
func (s *CaseSet) Len() int { return len(s.cases) }

// Name returns the name of case i.
func (s *CaseSet) Name(i int) string { return s.cases[i].name }

// Preprocessed reports whether images are ready for the model: cropped, normalised and padded.
func (s *CaseSet) Preprocessed() bool { return s.layout == preprocessed }

// Shape returns case i's depth, height and width as scanned, in voxels.
func (s *CaseSet) Shape(i int) [3]int { return s.cases[i].shape }

// Placement returns the head's position in preprocessed case i.
func (s *CaseSet) Placement(i int) HeadPlacement { return s.cases[i].placement }

// Read returns the four channels of case i in C order of Shape. Case i must not be preprocessed. The caller owns the
// result.
func (s *CaseSet) Read(i int) ([][]float32, error) {
	c := &s.cases[i]
	channels := make([][]float32, Channels)
	faults := make([]error, Channels)
	parallel.Each(context.Background(), Channels, func(k int) {
		h, values, err := nifti.ReadFloats(c.channels[k], nifti.SimpleITKOrder)
		if err == nil && reverseAxes(h.Shape) != c.shape {
			err = fmt.Errorf("%s: shape %v, was %v before", c.channels[k], reverseAxes(h.Shape), c.shape)
		}
		channels[k], faults[k] = values, err
	})
	return channels, fault.WrapError(ErrDataset, c.name, errors.Join(faults...))
}

// Prepared returns the image of preprocessed case i: Channels volumes of the padded shape, in C order. The caller owns
// the result.
func (s *CaseSet) Prepared(i int) ([]float32, error) {
	c := &s.cases[i]
	values, err := c.readImage(s.padded)
	return values, fault.WrapError(ErrDataset, c.name, err)
}
