package coco

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/picture"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("detection data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// ImageOptions contains the expected properties of a data set. The zero value is for COCO's validation set of 2017.
type ImageOptions struct {
	// path of the annotation file, relative to the data set's folder; "": annotations/instances_val2017.json
	Annotations string
	// Folders are the folders of pictures, relative to the data set's folder, in search order. nil: val2017, then the data
	// set's folder.
	Folders   []string
	Count     int // use only the first Count images as samples; 0: all
	MaxPixels int // limit of width times height of a picture; 0: no limit
	Classes   int // category IDs must be 0 to Classes-1, in this order; 0: any IDs
	// OnlyAnnotated excludes images without annotations, which leaves 4952 of 5000. The reference does this for models
	// that number the categories of the data set instead of using their IDs.
	OnlyAnnotated bool
	// Present excludes images whose picture is missing.
	Present bool
	// LabelsOnly skips the checks of pictures. Scoring a finished run needs only the annotations.
	LabelsOnly bool
}

func (o ImageOptions) withDefaults() ImageOptions {
	o.Annotations = cmp.Or(o.Annotations, "annotations/instances_val2017.json")
	if o.Folders == nil {
		o.Folders = []string{"val2017", "."}
	}
	return o
}

// ImageSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type ImageSet struct {
	file   *AnnotationFile
	images []ImageEntry // images that are samples
	paths  []string     // paths of their pictures
}

// Open reads and checks the annotation file below dir as a stream, and the header of each sample's picture. Samples are
// in the order of the file. The error is a [*FaultError] that lists every fault; it wraps ErrDataset.
func Open(dir string, o ImageOptions) (*ImageSet, error) {
	o = o.withDefaults()
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, filepath.FromSlash(o.Annotations))
	var faults fault.FaultList
	file, err := readFile(path, &faults)
	if err != nil {
		return nil, layoutError(dir, o, err)
	}
	file.checkRecords(o, &faults)
	s := &ImageSet{file: file, images: sampleImages(dir, file, o)}
	s.findPictures(dir, o, &faults)
	return s, faults.Err(ErrDataset, path)
}

// maxAnnotationBytes limits the size of an annotation file. OpenImages' file for 24,781 pictures has 200 MB.
const maxAnnotationBytes = 4 << 30

func readFile(path string, faults *fault.FaultList) (*AnnotationFile, error) {
	f, err := bounded.OpenUpTo(path, maxAnnotationBytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	file, err := parseFile(pyvalue.NewNullReader(f), faults)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// layoutError adds the expected layout to err.
func layoutError(dir string, o ImageOptions, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrDataset, err)
	}
	return fmt.Errorf("%w %s: %s is missing: want it there, and the pictures in %s: %w", ErrDataset, dir, o.Annotations,
		strings.Join(o.Folders, " or "), err)
}

// sampleImages returns the images of the file that are samples.
func sampleImages(dir string, f *AnnotationFile, o ImageOptions) []ImageEntry {
	images := f.Images
	if o.OnlyAnnotated {
		annotated := make(map[int64]bool, len(f.Images))
		for i := range f.Annotations {
			annotated[f.Annotations[i].Image] = true
		}
		var chosen []ImageEntry
		for _, im := range f.Images {
			if annotated[im.ID] {
				chosen = append(chosen, im)
			}
		}
		images = chosen
	}
	if o.Present {
		images = slices.DeleteFunc(slices.Clone(images), func(im ImageEntry) bool {
			_, err := os.Stat(findPicture(dir, o, im.Name))
			return err != nil
		})
	}
	if o.Count > 0 && o.Count < len(images) {
		images = images[:o.Count]
	}
	return images
}

// findPictures sets the paths of the pictures and adds their problems to faults.
func (s *ImageSet) findPictures(dir string, o ImageOptions, faults *fault.FaultList) {
	s.paths = make([]string, len(s.images))
	problems := make([]string, len(s.images))
	picture.ForEach(len(s.images), func(i int) {
		im := s.images[i]
		s.paths[i] = findPicture(dir, o, im.Name)
		if o.LabelsOnly {
			return
		}
		width, height, problem := picture.CheckFile(s.paths[i], o.MaxPixels)
		if problem == "" {
			problem = im.sizeProblem(width, height)
		}
		problems[i] = problem
	})
	s.suggestPresentOnly(problems, faults)
	for i, problem := range problems {
		if problem != "" {
			faults.Addf(fmt.Sprintf("picture %d (%.100q, id %d)", i, s.images[i].Name, s.images[i].ID), "%s", problem)
		}
	}
}

// suggestPresentOnly adds a fault that suggests what to do if most pictures are missing. The annotations then probably
// belong to a larger set.
func (s *ImageSet) suggestPresentOnly(problems []string, faults *fault.FaultList) {
	missing := 0
	for i, problem := range problems {
		if problem != "" {
			if _, err := os.Stat(s.paths[i]); errors.Is(err, fs.ErrNotExist) {
				missing++
			}
		}
	}
	if 2*missing > len(problems) && missing < len(problems) {
		faults.Addf("", "%d of its %d images have no picture: want the annotation file of the pictures that are there, or "+
			"samples=present, which leaves the others out", missing, len(problems))
	}
}

// sizeProblem compares the entry's size with the size in the picture's file. Width and height may be swapped, because
// EXIF may rotate the picture.
func (im ImageEntry) sizeProblem(width, height int) string {
	if (width == im.Width && height == im.Height) || (width == im.Height && height == im.Width) {
		return ""
	}
	return fmt.Sprintf("a picture of %d x %d pixels, want %d x %d as the annotations say", width, height,
		im.Width, im.Height)
}

// findPicture returns the picture's path in the first folder that contains it, or in the first folder if none does.
func findPicture(dir string, o ImageOptions, name string) string {
	name = filepath.FromSlash(name)
	if !o.LabelsOnly || o.Present {
		for _, folder := range o.Folders {
			path := filepath.Join(dir, filepath.FromSlash(folder), name)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return filepath.Join(dir, filepath.FromSlash(o.Folders[0]), name)
}

// Len returns the number of samples.
func (s *ImageSet) Len() int { return len(s.images) }

// Image returns the annotation file's entry for sample i.
func (s *ImageSet) Image(i int) ImageEntry { return s.images[i] }

// Images returns the entries of the samples, in order. The caller must not change them.
func (s *ImageSet) Images() []ImageEntry { return s.images }

// File returns the whole annotation file. The caller must not change it.
func (s *ImageSet) File() *AnnotationFile { return s.file }

// Path returns the path of sample i's picture.
func (s *ImageSet) Path(i int) string { return s.paths[i] }

// Read returns the content of sample i's picture file. The caller owns it.
func (s *ImageSet) Read(i int) ([]byte, error) {
	data, err := bounded.ReadFile(s.paths[i], picture.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: picture %d: %w", ErrDataset, i, err)
	}
	return data, nil
}
