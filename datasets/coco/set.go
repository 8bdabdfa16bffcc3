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
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("detection data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// ImageOptions contains the expected properties of a data set. The zero value is for COCO's validation set of 2017.
type ImageOptions struct {
	Annotations string // the annotation file below the data set's folder; "": annotations/instances_val2017.json
	// of the pictures, below the data set's folder, tried in turn; nil: val2017, then the folder itself
	Folders   []string
	Count     int // use only the first Count images as samples; 0: all
	MaxPixels int // largest width times height of a picture; 0: any
	Classes   int // the categories' ids must be 0 to Classes-1, in this order; 0: any number of any ids
	// OnlyAnnotated leaves out the images without annotations, as the reference does for models that count the categories
	// of the data set instead of using their ids: 4952 of 5000 are left.
	OnlyAnnotated bool
	// Present leaves out the images whose picture is not there.
	Present bool
	// LabelsOnly leaves the pictures unchecked: to score a finished run, the annotations are enough.
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
	images []ImageEntry // of the samples
	paths  []string     // of their pictures
}

// Open reads the annotation file below dir as a stream, and checks each record of it and the header of each picture of
// a sample. Samples are in the order of the file. The error lists every fault: it is a [*FaultError], for which
// errors.Is(err, ErrDataset) holds.
func Open(dir string, o ImageOptions) (*ImageSet, error) {
	o = o.withDefaults()
	if err := fault.NoFolder(ErrDataset, dir); err != nil {
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

// maxAnnotationBytes is the size up to which an annotation file is read: OpenImages' own of the
// 24,781 pictures has 200 MB.
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

// layoutError says what layout is expected.
func layoutError(dir string, o ImageOptions, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrDataset, err)
	}
	return fmt.Errorf("%w %s: %s is missing: want it there, and the pictures in %s: %w", ErrDataset, dir, o.Annotations,
		strings.Join(o.Folders, " or "), err)
}

// sampleImages are the images of the file that are samples of the benchmark.
func sampleImages(dir string, f *AnnotationFile, o ImageOptions) []ImageEntry {
	images := f.Images
	if o.OnlyAnnotated {
		annotated := make(map[int64]bool, len(f.Images))
		for i := range f.Annotations {
			annotated[f.Annotations[i].Image] = true
		}
		images = lists.Filter(f.Images, func(im ImageEntry) bool { return annotated[im.ID] })
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

// findPictures sets the paths, and adds what is wrong with the pictures to faults.
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
	s.hintAtMissing(problems, faults)
	for i, problem := range problems {
		if problem != "" {
			faults.Addf(fmt.Sprintf("picture %d (%.100q, id %d)", i, s.images[i].Name, s.images[i].ID), "%s", problem)
		}
	}
}

// hintAtMissing adds what can be done where most pictures are missing, before it is said which: the annotations are of
// a larger set.
func (s *ImageSet) hintAtMissing(problems []string, faults *fault.FaultList) {
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

// sizeProblem compares with the size in the picture's file, where the sides may be exchanged:
// EXIF may turn the picture.
func (im ImageEntry) sizeProblem(width, height int) string {
	if (width == im.Width && height == im.Height) || (width == im.Height && height == im.Width) {
		return ""
	}
	return fmt.Sprintf("a picture of %d x %d pixels, want %d x %d as the annotations say", width, height,
		im.Width, im.Height)
}

// findPicture returns the path of a picture in the first folder that has it, or else in the first folder.
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

// Len is the number of samples.
func (s *ImageSet) Len() int { return len(s.images) }

// Image is sample i's image.
func (s *ImageSet) Image(i int) ImageEntry { return s.images[i] }

// Images are those of the samples, in order. The caller must not change them.
func (s *ImageSet) Images() []ImageEntry { return s.images }

// File is the whole annotation file. The caller must not change it.
func (s *ImageSet) File() *AnnotationFile { return s.file }

// Path is where sample i's picture lies.
func (s *ImageSet) Path(i int) string { return s.paths[i] }

// Read returns the bytes of sample i's picture file, which the caller owns.
func (s *ImageSet) Read(i int) ([]byte, error) {
	data, err := bounded.ReadFile(s.paths[i], picture.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: picture %d: %w", ErrDataset, i, err)
	}
	return data, nil
}
