package resnet50

import (
	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
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

// openPictures opens the pictures of a run. A data set is checked as a whole: the fault names every missing or
// unreadable picture and every bad label.
func openPictures(r *manifest.Request) pictures {
	if r.Dataset == "" {
		return drawn{drawnPictures(r)}
	}
	return openImagenet(r, imagenet.Options{Count: r.Count, MaxPixels: image.DefaultMaxPixels})
}

// openLabels returns the labels of the same pictures, and does not look at the pictures themselves.
func openLabels(r *manifest.Request) labelled {
	if r.Dataset == "" {
		return drawnPictures(r)
	}
	return openImagenet(r, imagenet.Options{Count: r.Count, LabelsOnly: true})
}

func drawnPictures(r *manifest.Request) synthetic.ImageSet {
	set := synthetic.ImageEval()
	set.N = r.First(set.Len(), what)
	return set
}

func openImagenet(r *manifest.Request, o imagenet.Options) *imagenet.Set {
	set, err := imagenet.Open(r.Dataset, o)
	if err != nil {
		r.Fault(sdk.Data(err))
		return nil
	}
	r.First(set.Len(), what)
	return set
}

// what are the samples.
const what = "pictures"
