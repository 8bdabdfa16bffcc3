package resnet50

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/internal/synthetic"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// embeddedPictures contains the embedded pictures.
type embeddedPictures struct{ synthetic.ImageSet }

func (d embeddedPictures) Read(i int) ([]byte, error) { return d.PNG(i), nil }

// labelSet contains the labels of a data set.
type labelSet interface {
	Len() int
	Name(i int) string
	Label(i int) int
}

// labelledPictures contains pictures with their labels.
type labelledPictures interface {
	pictures.PictureSet
	Label(i int) int
}

// openPictures opens the pictures of a run. It checks the whole data set, and the fault lists every missing or
// unreadable picture and every invalid label.
func openPictures(r *manifest.Request, classes int) pictures.PictureSet {
	if r.Dataset == "" {
		return firstOfClasses(r, embeddedPictures{drawnPictures(r)})
	}
	set := openImagenet(r, imagenet.PictureOptions{
		Count: r.Count, Classes: classes, MaxPixels: image.DefaultMaxPixels,
	})
	if set == nil {
		return nil
	}
	return firstOfClasses(r, set)
}

// openLabels returns the labels of the same pictures without checking the pictures.
func openLabels(r *manifest.Request, classes int) labelSet {
	if r.Dataset == "" {
		return firstOfClasses(r, embeddedPictures{drawnPictures(r)})
	}
	set := openImagenet(r, imagenet.PictureOptions{Count: r.Count, Classes: classes, LabelsOnly: true})
	if set == nil {
		return nil
	}
	return firstOfClasses(r, set)
}

// pictureSubset contains some of the pictures of a set.
type pictureSubset struct {
	all     labelledPictures
	indices []int
}

func (s pictureSubset) Len() int                   { return len(s.indices) }
func (s pictureSubset) Name(i int) string          { return s.all.Name(s.indices[i]) }
func (s pictureSubset) Label(i int) int            { return s.all.Label(s.indices[i]) }
func (s pictureSubset) Read(i int) ([]byte, error) { return s.all.Read(s.indices[i]) }

// firstOfClasses returns the first pictures of each class by name, in the set's order. The parameter per_class is the
// number of pictures per class.
func firstOfClasses(r *manifest.Request, all labelledPictures) labelledPictures {
	var of struct {
		Pictures int `param:"per_class" min:"0" max:"int32"` // 0: all
	}
	r.Bind(&of)
	n := of.Pictures
	if n == 0 {
		return all
	}
	classes := map[int][]int{}
	for i := range all.Len() {
		classes[all.Label(i)] = append(classes[all.Label(i)], i)
	}
	var kept []int
	for _, members := range classes {
		slices.SortFunc(members, func(a, b int) int { return strings.Compare(all.Name(a), all.Name(b)) })
		kept = append(kept, members[:min(n, len(members))]...)
	}
	slices.Sort(kept)
	return pictureSubset{all, kept}
}

func drawnPictures(r *manifest.Request) synthetic.ImageSet {
	set := synthetic.ImageEval()
	set.N = r.SampleCount(set.Len(), samplesNoun)
	return set
}

func openImagenet(r *manifest.Request, o imagenet.PictureOptions) *imagenet.PictureSet {
	set, err := imagenet.Open(r.Dataset, o)
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	r.SampleCount(set.Len(), samplesNoun)
	return set
}

// samplesNoun is the noun for samples in messages.
const samplesNoun = "pictures"
