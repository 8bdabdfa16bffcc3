package detection

import (
	truth "github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// DatasetSource selects the data set of a request: the embedded scenes, or files in a layout of COCO or OpenImages.
type DatasetSource struct {
	*manifest.Request
	Layout  datasetLayout `param:"dataset"`
	Samples sampleChoice  `param:"samples" choices:"all,annotated,present"`
	// number of classes of a data set in the layout of OpenImages; 0: any
	Classes int  `param:"classes" min:"0" max:"1048575"`
	faulty  bool // a parameter of this source is invalid, and its fault was added
}

// datasetLayout describes the layout of a data set's files.
type datasetLayout struct {
	open           func(dir string, o coco.ImageOptions) (*coco.ImageSet, error)
	consecutiveIDs bool // the ids of categories are 0, 1 ...
}

func datasetLayouts() map[string]datasetLayout {
	return map[string]datasetLayout{
		"coco": {open: coco.Open}, "coco-safe": {open: coco.OpenSafe}, "openimages": {open: coco.OpenImages,
			consecutiveIDs: true},
	}
}

// sampleChoice selects the images that are samples.
type sampleChoice int

const (
	allImages       sampleChoice = iota
	annotatedImages              // images with a box
	presentImages                // images whose picture exists
)

// ReadSource reads the parameters dataset, samples and classes. It must be called before other parameters are read.
func ReadSource(r *manifest.Request) DatasetSource {
	s := DatasetSource{Request: r}
	r.Bind(&s, option.WordReader("dataset", datasetLayouts()))
	s.faulty = r.Params.Err() != nil
	return s
}

// OpenPictures opens the samples. It checks the whole data set, and the fault lists every missing or unreadable picture
// and every invalid annotation.
func (s DatasetSource) OpenPictures() pictures.PictureSet {
	if s.Dataset == "" {
		return drawnPictures{s.drawnScenes()}
	}
	return filePictures{s.readFiles(false)}
}

// readTruth returns the true boxes, with the images of the samples in order, and the pictures, which it does not check.
// If allImages is set, it also lists images that are not samples.
func (s DatasetSource) readTruth(allImages bool) (g truth.GroundTruth, p pictures.PictureSet) {
	if s.Dataset == "" {
		set := s.drawnScenes()
		return sceneTruth(set), drawnPictures{set}
	}
	set := s.readFiles(true)
	if set == nil {
		return g, nil
	}
	images := set.Images()
	if allImages {
		images = set.File().Images
	}
	return fileTruth(set.File(), images), filePictures{set}
}

func (s DatasetSource) drawnScenes() scenes.Set {
	set := scenes.Eval()
	set.N = s.SampleCount(set.Len(), "pictures")
	return set
}

// readFiles opens a data set of files. If this fails, it adds a fault and returns nil.
func (s DatasetSource) readFiles(labelsOnly bool) *coco.ImageSet {
	if s.faulty {
		return nil
	}
	o := coco.ImageOptions{
		Count: s.Count, MaxPixels: image.DefaultMaxPixels, Classes: s.Classes,
		OnlyAnnotated: s.Samples == annotatedImages, Present: s.Samples == presentImages, LabelsOnly: labelsOnly,
	}
	if !s.Layout.consecutiveIDs {
		o.Classes = 0 // COCO's categories have other IDs
	}
	set, err := s.Layout.open(s.Dataset, o)
	if err != nil {
		s.AddFault(sdk.Data(err))
		return nil
	}
	s.SampleCount(set.Len(), "pictures")
	return set
}

// drawnPictures contains the embedded scenes.
type drawnPictures struct{ scenes.Set }

func (d drawnPictures) Read(i int) ([]byte, error) { return d.PNG(i), nil }

// filePictures contains the pictures of a folder.
type filePictures struct{ *coco.ImageSet }

func (f filePictures) Name(i int) string { return f.Image(i).Name }

func (f filePictures) Size(i int) (w, h int) { return f.Image(i).Width, f.Image(i).Height }

func fileTruth(f *coco.AnnotationFile, images []coco.ImageEntry) truth.GroundTruth {
	g := truth.GroundTruth{
		Images: make([]truth.Image, len(images)), Categories: make([]truth.Category, len(f.Categories)),
		Annotations: make([]truth.Annotation, len(f.Annotations)),
	}
	for i, im := range images {
		g.Images[i] = truth.Image{ID: im.ID, Width: im.Width, Height: im.Height}
	}
	for i, c := range f.Categories {
		g.Categories[i] = truth.Category(c)
	}
	for i, a := range f.Annotations {
		g.Annotations[i] = truth.Annotation(a)
	}
	return g
}

// sceneTruth returns the true boxes of scenes. It numbers images and boxes from 1, like the exported data set,
// because a box with ID 0 would mean none.
func sceneTruth(set scenes.Set) truth.GroundTruth {
	var g truth.GroundTruth
	for c := range scenes.Classes {
		g.Categories = append(g.Categories, truth.Category{ID: int64(c), Name: scenes.ClassName(c)})
	}
	for i := range set.Len() {
		p, id := set.Picture(i), int64(i+1)
		g.Images = append(g.Images, truth.Image{ID: id, Width: p.Width, Height: p.Height})
		for _, o := range p.Objects {
			g.Annotations = append(g.Annotations, truth.Annotation{
				ID: int64(len(g.Annotations) + 1), Image: id, Category: int64(o.Class), Box: o.Box, Area: o.Area, Crowd: o.Crowd,
			})
		}
	}
	return g
}
