package resnet50

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
)

// pictures is a data set, drawn or read. Its methods may be called concurrently.
type pictures interface {
	Len() int
	Name(i int) string
	// Read returns the bytes of picture i's file, which the caller owns.
	Read(i int) ([]byte, error)
}

// drawn are the embedded pictures.
type drawn struct{ synthetic.ImageSet }

func (d drawn) Read(i int) ([]byte, error) { return d.PNG(i), nil }

// labelled is a data set's labels.
type labelled interface {
	Len() int
	Name(i int) string
	Label(i int) int
}

// openPictures opens the first count pictures (0: all) of the data set at path, or of the embedded one where path is
// empty. A data set is checked as a whole: the error names every missing or unreadable picture and every bad label.
func openPictures(path string, count int) (pictures, error) {
	if err := checkCount(count); err != nil {
		return nil, err
	}
	if path == "" {
		set, err := drawnPictures(count)
		return drawn{set}, err
	}
	set, err := openImagenet(path, imagenet.Options{Count: count, MaxPixels: image.DefaultMaxPixels})
	if err != nil {
		return nil, err
	}
	return set, nil
}

// openLabels returns the labels of the same pictures, and does not look at the pictures themselves.
func openLabels(path string, count int) (labelled, error) {
	if err := checkCount(count); err != nil {
		return nil, err
	}
	if path == "" {
		return drawnPictures(count)
	}
	return openImagenet(path, imagenet.Options{Count: count, LabelsOnly: true})
}

func drawnPictures(count int) (synthetic.ImageSet, error) {
	set := synthetic.ImageEval()
	if count > 0 {
		if err := checkEnough(count, set.Len()); err != nil {
			return set, err
		}
		set.N = count
	}
	return set, nil
}

func openImagenet(path string, o imagenet.Options) (*imagenet.Set, error) {
	set, err := imagenet.Open(path, o)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return set, checkEnough(o.Count, set.Len())
}

func checkCount(count int) error {
	if count < 0 {
		return sdk.Usage(fmt.Errorf("count = %d, want 0 (all) or more", count))
	}
	return nil
}

func checkEnough(count, size int) error {
	if count > size {
		return sdk.Usage(fmt.Errorf("count = %d, want at most the %d pictures of the data set", count, size))
	}
	return nil
}
