package unet3d

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// caseSet is a data set, generated or read. Its methods may be called concurrently.
type caseSet interface {
	Len() int
	Name(i int) string
	// Size returns the shape of case i and the spacing of its voxels in millimetres.
	Size(i int) (volume.Shape, [3]float64)
	// Preprocessed reports whether images and labels are ready for the model.
	Preprocessed() bool
	// Image returns the image of case i, in Hounsfield units unless it is preprocessed. The caller owns it.
	Image(i int) ([]float32, error)
	// Labels returns the classes of case i's voxels. The caller owns them.
	Labels(i int) ([]uint8, error)
}

// drawnCases contains the embedded volumes.
type drawnCases struct{ volumes.Set }

func (d drawnCases) Preprocessed() bool { return false }

func (d drawnCases) Size(i int) (volume.Shape, [3]float64) { return d.Set.Size(i) }

func (d drawnCases) Image(i int) ([]float32, error) { return d.Draw(i).Values, nil }

func (d drawnCases) Labels(i int) ([]uint8, error) { return d.Draw(i).Labels, nil }

// fileCases contains volumes in files.
type fileCases struct{ *kits19.CaseSet }

func (r fileCases) Size(i int) (volume.Shape, [3]float64) { return r.Shape(i), r.Spacing(i) }

func (r fileCases) Image(i int) ([]float32, error) {
	v, err := r.CaseSet.Image(i)
	if err != nil {
		return nil, err
	}
	return v.Values, nil
}

// openCases opens the cases of a run. It checks the whole data set, and the fault lists every error. Scoring needs only
// the labels.
func openCases(r *manifest.Request) caseSet {
	if r.Dataset == "" {
		set := volumes.Eval()
		set.N = r.SampleCount(set.N, "cases")
		return drawnCases{set}
	}
	set, err := kits19.Open(r.Dataset, kits19.CaseOptions{Count: r.Count, LabelsOnly: r.Scoring})
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	r.SampleCount(set.Len(), "cases")
	return fileCases{set}
}

// preparedShape returns the shape of case i after preparation for the model.
func (b *windowBinding) preparedShape(c caseSet, i int) (volume.Shape, error) {
	shape, spacing := c.Size(i)
	var err error
	if c.Preprocessed() {
		err = b.Sliding.CheckShape(shape, shape.Voxels())
	} else {
		shape, err = b.recipe.PreparedShape(shape, spacing)
	}
	if err != nil {
		return shape, sdk.Data(fmt.Errorf("case %d (%s): %w", i, c.Name(i), err))
	}
	return shape, nil
}

// readImage returns the image of case i, prepared for the model.
func (b *windowBinding) readImage(c caseSet, i int) ([]float32, volume.Shape, error) {
	values, err := c.Image(i)
	if err != nil {
		return nil, volume.Shape{}, sdk.Data(err)
	}
	shape, spacing := c.Size(i)
	if c.Preprocessed() {
		err = b.Sliding.CheckShape(shape, len(values))
	} else {
		values, shape, err = b.recipe.PrepareImage(nil, values, shape, spacing)
	}
	if err != nil {
		return nil, shape, sdk.Data(fmt.Errorf("case %d (%s): %w", i, c.Name(i), err))
	}
	return values, shape, nil
}

// readLabels returns the classes of case i, in the shape of the prepared image.
func (b *windowBinding) readLabels(c caseSet, i int) ([]uint8, error) {
	labels, err := c.Labels(i)
	if err != nil || c.Preprocessed() {
		return labels, err
	}
	shape, spacing := c.Size(i)
	labels, _, err = b.recipe.PrepareLabels(nil, labels, shape, spacing)
	return labels, err
}
