package imagenet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/picture"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// Classes is the number of classes of ImageNet.
const Classes = 1000

// MapName is the name of the file that lists a data set's pictures and labels.
const MapName = "val_map.txt"

const maxMapBytes = 256 << 20 // bytes; ImageNet's file has 1.5 MB

// PictureOptions contains the expected properties of a data set. The zero value is for ImageNet.
type PictureOptions struct {
	Classes   int // labels are 0 to Classes-1; 0: 1000 classes
	Count     int // use only the first Count pictures; 0: all
	MaxPixels int // limit of width times height of a picture; 0: no limit
	// LabelsOnly skips the checks of pictures. Scoring a finished run needs only val_map.txt.
	LabelsOnly bool
}

// PictureSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type PictureSet struct {
	dir     string
	entries []mapEntry
}

// mapEntry is a line of val_map.txt.
type mapEntry struct {
	line  int
	name  string
	label int
}

// Open reads dir/val_map.txt and checks each line, and the header of each listed picture. The error is a [*FaultError]
// that lists every fault; it wraps ErrDataset.
func Open(dir string, o PictureOptions) (*PictureSet, error) {
	o.Classes = cmp.Or(o.Classes, Classes)
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	text, err := readMap(dir, o)
	if err != nil {
		return nil, err
	}
	entries, faults := parseMap(text, o.Classes)
	if o.Count > 0 && len(entries) > o.Count {
		entries = entries[:o.Count]
	}
	if !o.LabelsOnly {
		faults = append(faults, checkPictures(dir, entries, o)...)
	}
	if len(faults) > 0 {
		return nil, newFaultError(filepath.Join(dir, MapName), faults)
	}
	return &PictureSet{dir, entries}, nil
}

// readMap returns the content of val_map.txt, or an error that describes the expected layout.
func readMap(dir string, o PictureOptions) (string, error) {
	path := filepath.Join(dir, MapName)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w %s: %s: want %s with lines \"name label\" (label 0 to %d), and the pictures beside it: %w",
			ErrDataset, dir, describeMissing(dir), MapName, o.Classes-1, fs.ErrNotExist)
	}
	if err != nil {
		return "", fmt.Errorf("%w %s: %w", ErrDataset, dir, err)
	}
	text, err := bounded.ReadFile(path, maxMapBytes)
	if err != nil {
		return "", fmt.Errorf("%w %s: want a text of lines \"name label\": %w", ErrDataset, dir, err)
	}
	return string(text), nil
}

// describeMissing describes which part of the path dir/val_map.txt is missing.
func describeMissing(dir string) string {
	if _, err := os.Stat(dir); err != nil {
		return "there is no such folder"
	}
	return "it holds no " + MapName
}

// Len returns the number of pictures.
func (s *PictureSet) Len() int { return len(s.entries) }

// Name returns picture i's name in val_map.txt.
func (s *PictureSet) Name(i int) string { return s.entries[i].name }

// Label returns picture i's class, in [0, PictureOptions.Classes).
func (s *PictureSet) Label(i int) int { return s.entries[i].label }

// Path returns the path of picture i.
func (s *PictureSet) Path(i int) string {
	return filepath.Join(s.dir, filepath.FromSlash(s.entries[i].name))
}

// Read returns the content of picture i's file. The caller owns it.
func (s *PictureSet) Read(i int) ([]byte, error) {
	data, err := bounded.ReadFile(s.Path(i), picture.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: picture %d (%s line %d): %w", ErrDataset, i, MapName, s.entries[i].line, err)
	}
	return data, nil
}
