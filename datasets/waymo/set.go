package waymo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
	"github.com/plumbline-ml/plumbline/datasets/internal/picture"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("waymo data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// IndexName is the name of the index file.
const IndexName = "waymo_infos_val.pkl"

// FrameOptions contains the expected properties of a data set. The zero value is for the benchmark's data set.
type FrameOptions struct {
	Count int // use only the first Count frames; 0: all
	// LabelsOnly skips the checks of point and picture files, and accepts missing calibrations. Scoring a finished run
	// needs only the objects in the index.
	LabelsOnly bool
}

// FrameSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type FrameSet struct {
	dir    string
	frames []*Frame
	// number of pictures whose size differs from the index, and the name of one of them
	resizedPictures int
	resizedExample  string
}

var _ FrameSource = (*FrameSet)(nil)

// Open reads the index in dir and checks each frame, its file of points and the headers of its pictures. The error is a
// [*FaultError] that lists every fault; it wraps ErrDataset.
func Open(dir string, o FrameOptions) (*FrameSet, error) {
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	root := dir
	if below := filepath.Join(dir, "kitti_format"); fault.PathExists(filepath.Join(below, IndexName)) {
		root = below
	}
	path := filepath.Join(root, IndexName)
	var faults fault.FaultList
	s := &FrameSet{dir: root}
	x := indexReader{options: o, addFault: func(i int, text string) {
		faults.Addf(fmt.Sprintf("frame %d", i), "%s",
			text)
	}}
	if err := readIndex(path, &x); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w %s: it holds no %s, the index that goes with training/velodyne and training/image_0 to "+
			"image_4: %w", ErrDataset, dir, IndexName, fs.ErrNotExist)
	} else if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	s.frames = x.frames
	s.checkNumbers(&faults)
	if !o.LabelsOnly {
		s.checkFiles(&faults)
	}
	return s, faults.Err(ErrDataset, path)
}

// readPickle reads an index file through a memory mapping. The index of all frames has some hundred megabytes, none of
// which stays in memory.
func readIndex(path string, x *indexReader) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() > pickle.MaxBytes {
		err = fmt.Errorf("%d bytes, want at most %d", info.Size(), int64(pickle.MaxBytes))
	}
	if err != nil {
		return err
	}
	file, err := mapped.Open(path)
	if err != nil {
		return err
	}
	var wrong error
	lost := mapped.CatchFaults(func() { wrong = x.readPickle(file.Bytes()) })
	return errors.Join(lost, wrong, file.Close())
}

// frameLabel returns the name of a frame in faults.
func (s *FrameSet) frameLabel(i int) string {
	return fmt.Sprintf("frame %d (image %d)", i, s.frames[i].Image)
}

// checkNumbers requires unique image numbers, because the log identifies frames by them.
func (s *FrameSet) checkNumbers(faults *fault.FaultList) {
	first := make(map[int]int, len(s.frames))
	for i, f := range s.frames {
		if earlier, again := first[f.Image]; again {
			faults.Addf(s.frameLabel(i), "image.image_idx is that of frame %d", earlier)
			continue
		}
		first[f.Image] = i
	}
}

// maxPixels limits the size of a picture; Waymo's have 2.5 million pixels.
const maxPixels = 1 << 26

// checkFiles checks the size of each file of points and the header of each picture.
func (s *FrameSet) checkFiles(faults *fault.FaultList) {
	problems := make([][]string, len(s.frames))
	others := make([]string, len(s.frames))
	picture.ForEach(len(s.frames), func(i int) {
		if problem := s.checkPoints(i); problem != "" {
			problems[i] = append(problems[i], problem)
		}
		for k := range Cameras {
			width, height, problem := picture.CheckFile(s.picturePath(i, k), maxPixels)
			if problem != "" {
				problems[i] = append(problems[i], s.pictureName(i, k)+": "+problem)
			} else if have := (PictureShape{height, width}); have != s.frames[i].Shapes[k] {
				others[i] = fmt.Sprintf("%s has %d x %d pixels, the index says %d x %d", s.pictureName(i, k), width, height,
					s.frames[i].Shapes[k].Width, s.frames[i].Shapes[k].Height)
			}
		}
	})
	for i := range problems {
		for _, p := range problems[i] {
			faults.Addf(s.frameLabel(i), "%s", p)
		}
		if others[i] != "" {
			if s.resizedPictures++; s.resizedExample == "" {
				s.resizedExample = others[i]
			}
		}
	}
}

// fileValues is the number of values of a point in a file: PointValues and one that is not used.
const fileValues = 6

func (s *FrameSet) checkPoints(i int) string {
	name := s.frames[i].PointsFile
	info, err := os.Stat(s.filePath(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + ": there is no such file in the data set's folder"
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular():
		return name + ": this is not a file"
	}
	return pointsProblem(name, info.Size())
}

// maxPointsBytes limits the size of a file of points; Waymo's have 4 MB.
const maxPointsBytes = 256 << 20

func pointsProblem(name string, size int64) string {
	if size%(4*fileValues) != 0 || size > maxPointsBytes {
		return fmt.Sprintf("%s: %d bytes, want points of %d (%d float32), and at most %d", name, size, 4*fileValues,
			fileValues, maxPointsBytes)
	}
	return ""
}

func (s *FrameSet) filePath(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(name))
}

func (s *FrameSet) picturePath(i, camera int) string { return s.filePath(s.pictureName(i, camera)) }

func (s *FrameSet) pictureName(i, camera int) string { return s.frames[i].PictureName(camera) }

// PictureName returns the path of a camera's picture, relative to the data set's folder.
func (f *Frame) PictureName(camera int) string {
	return "training/image_" + strconv.Itoa(camera) + "/" + strconv.Itoa(f.Image) + ".jpg"
}

// Len returns the number of frames.
func (s *FrameSet) Len() int { return len(s.frames) }

// Frame returns the index entry of frame i. The caller must not change it.
func (s *FrameSet) Frame(i int) *Frame { return s.frames[i] }

// Warnings returns warnings about unusual properties of the data set that do not prevent its use.
func (s *FrameSet) Warnings() []string {
	if s.resizedPictures == 0 {
		return nil
	}
	return []string{fmt.Sprintf("pictures of %d frames have another size than the index says: boxes in pictures end "+
		"where the index says; %s", s.resizedPictures, s.resizedExample)}
}

// ReadPoints reads the points of frame i.
func (s *FrameSet) ReadPoints(i int) ([]float32, error) {
	name := s.frames[i].PointsFile
	data, err := bounded.ReadFile(s.filePath(name), maxPointsBytes)
	if err == nil {
		if problem := pointsProblem(name, int64(len(data))); problem != "" {
			err = errors.New(problem)
		}
	}
	if err != nil {
		return nil, fault.WrapError(ErrDataset, s.frameLabel(i), err)
	}
	return parsePoints(data), nil
}

// parsePoints decodes points and drops the sixth value of each.
func parsePoints(data []byte) []float32 {
	n := len(data) / (4 * fileValues)
	points := make([]float32, 0, n*PointValues)
	for p := range n {
		for v := range PointValues {
			points = append(points, math.Float32frombits(binary.LittleEndian.Uint32(data[4*(p*fileValues+v):])))
		}
	}
	return points
}

// ReadPicture reads the file of a camera's picture of frame i.
func (s *FrameSet) ReadPicture(i, camera int) ([]byte, error) {
	data, err := bounded.ReadFile(s.picturePath(i, camera), picture.MaxBytes)
	return data, fault.WrapError(ErrDataset, s.frameLabel(i), err)
}
