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
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/nifti"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("brain tumour data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// What a head has.
const (
	Channels = 4
	Classes  = 4 // background, oedema, non-enhancing and enhancing tumour
)

// CaseOptions contains the expected properties of a data set. The zero value is for the benchmark's data set.
type CaseOptions struct {
	// Fold is a file of names, one a line, of the cases to use. Empty: those that the preprocessing lists, or FoldFile in
	// the folder, or those of Cases.
	Fold  string
	Count int // use only the first Count cases; 0: all
	// Labels is the folder of NAME.nii.gz; empty: where the layout has it.
	Labels string
	// LabelsOnly leaves the images of preprocessed cases unread and those that are not there unmissed.
	LabelsOnly bool
	// Padded is the shape that preprocessed images must have; zero: any.
	Padded [3]int
}

// HeadPlacement is the position of a preprocessed head in its volume.
type HeadPlacement struct {
	Raw  [3]int // of the volume as scanned
	Low  [3]int // the first voxel of the head's box in it
	Size [3]int // of the box
}

// CaseSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type CaseSet struct {
	layout folderLayout
	cases  []caseFiles
	padded [3]int
	raw    bool // labels lie where published ones do

	mu        sync.Mutex
	published string // a case whose labels have a 4
	unclear   string // a case of labelsTr whose labels have neither 3 nor 4
}

// folderLayout is how a data set lies in its folder.
type folderLayout int

const (
	published folderLayout = iota
	renamed
	preprocessed
)

// caseFiles are where a case lies, and what is known of it.
type caseFiles struct {
	name     string
	channels [Channels]string // NIfTI
	labels   string           // NIfTI
	pickle   string           // of the prepared image and where it lies
	at       HeadPlacement    // of preprocessed cases
	shape    [3]int           // of the volume
}

// Open finds out the layout of dir and checks the headers of all volumes, and what the pickles of preprocessed cases
// say of them: that they can be read, that channels and labels have one size and a spacing that needs no resampling.
// The error lists every fault: it is a [*FaultError], for which errors.Is(err, ErrDataset) holds.
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
		if fault.PathExists(filepath.Join(root, indexPickle)) {
			return findPreprocessed(root, o)
		}
	}
	for _, root := range []string{dir, filepath.Join(dir, "MICCAI_BraTS_2019_Data_Training")} {
		if fault.PathExists(filepath.Join(root, "HGG")) || fault.PathExists(filepath.Join(root, "LGG")) {
			return findNamed(root, published, o)
		}
	}
	for _, root := range []string{dir, filepath.Join(dir, filepath.FromSlash(renamedFolder))} {
		if fault.PathExists(filepath.Join(root, "imagesTr")) {
			return findNamed(root, renamed, o)
		}
	}
	return nil, fmt.Errorf("%w %s: it holds neither %s, nor folders HGG and LGG with CASE/CASE_t1.nii.gz and so on, nor "+
		"imagesTr and labelsTr: %w", ErrDataset, dir, indexPickle, fs.ErrNotExist)
}

// renamedFolder is where the reference puts the renamed files, below its folder build.
const renamedFolder = "raw_data/nnUNet_raw_data/Task043_BraTS2019"

// findNamed returns the cases of a list of names.
func findNamed(root string, l folderLayout, o CaseOptions) (*CaseSet, error) {
	names, err := namesOf(root, o)
	if err != nil {
		return nil, err
	}
	s := &CaseSet{layout: l, raw: l == published && o.Labels == ""}
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
			c.labels = labelsIn(o.Labels, filepath.Join(root, "labelsTr"), name)
		}
		s.cases = append(s.cases, c)
	}
	return s, nil
}

// namesOf are the cases to use of a data set that does not list its own.
func namesOf(root string, o CaseOptions) ([]string, error) {
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

// labelsIn is the file of labels of a case in the folder asked for, or else in the one given.
func labelsIn(asked, folder, name string) string {
	if asked != "" {
		folder = asked
	}
	return filepath.Join(folder, name+".nii.gz")
}

// checkCase returns the problems of a case, and sets its shape.
func (s *CaseSet) checkCase(c *caseFiles, o CaseOptions) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if s.layout == preprocessed {
		if err := c.readPlacement(o); err != nil {
			add("%v", err)
		}
		c.shape = c.at.Raw
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
			if shape := reversed(h.Shape); c.shape == ([3]int{}) {
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
	case c.shape != ([3]int{}) && reversed(labels.Shape) != c.shape:
		add("labels: shape %v, want %v as the channels have", reversed(labels.Shape), c.shape)
	}
	return problems
}

// checkSpacing requires the spacing of a volume to be so near to one millimetre that no size changes.
func checkSpacing(h *nifti.VolumeHeader) string {
	for k, spacing := range h.Spacing {
		if n := float64(h.Shape[k]); !(spacing*n > n-0.5 && spacing*n < n+0.5) {
			return fmt.Sprintf("spacing %v mm, want 1 mm: volumes are not resampled", reversed(h.Spacing))
		}
	}
	return ""
}

func reversed[T any](v [3]T) [3]T { return [3]T{v[2], v[1], v[0]} }

// Len is the number of cases.
func (s *CaseSet) Len() int { return len(s.cases) }

// Name is what case i is called.
func (s *CaseSet) Name(i int) string { return s.cases[i].name }

// Preprocessed is whether images are ready for the model: cropped, normalised and padded.
func (s *CaseSet) Preprocessed() bool { return s.layout == preprocessed }

// Shape is the depth, height and width in voxels of case i as scanned.
func (s *CaseSet) Shape(i int) [3]int { return s.cases[i].shape }

// Placement is where the head of a preprocessed case lies.
func (s *CaseSet) Placement(i int) HeadPlacement { return s.cases[i].at }

// Read reads the four channels of case i, which is not preprocessed, in C order of Shape. The caller owns them.
func (s *CaseSet) Read(i int) ([][]float32, error) {
	c := &s.cases[i]
	channels := make([][]float32, Channels)
	faults := make([]error, Channels)
	lists.Each(context.Background(), Channels, func(k int) {
		h, values, err := nifti.ReadFloats(c.channels[k], nifti.Reversed)
		if err == nil && reversed(h.Shape) != c.shape {
			err = fmt.Errorf("%s: shape %v, was %v before", c.channels[k], reversed(h.Shape), c.shape)
		}
		channels[k], faults[k] = values, err
	})
	return channels, fault.ErrorAbout(ErrDataset, c.name, errors.Join(faults...))
}

// Prepared reads the image of preprocessed case i: Channels volumes of the padded shape in C order. The caller owns it.
func (s *CaseSet) Prepared(i int) ([]float32, error) {
	c := &s.cases[i]
	values, err := c.readImage(s.padded)
	return values, fault.ErrorAbout(ErrDataset, c.name, err)
}
