package sdxl

import (
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/coco2014"
	"github.com/plumbline-ml/plumbline/internal/synthetic/captioned"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/diffusion"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"gorgonia.org/tensor"
)

// openCaptions reads the captions of COCO-2014, or those of the generated scenes.
func openCaptions(r *manifest.Request) []string {
	var captions []string
	if r.Dataset == "" {
		set := captioned.Eval()
		captions = make([]string, set.Len())
		for i := range captions {
			captions[i] = set.Caption(i)
		}
	} else {
		rows, err := coco2014.ReadCaptions(filepath.Join(r.Dataset, coco2014.CaptionsFile))
		if err != nil {
			r.AddFault(sdk.Data(err))
			return nil
		}
		captions = make([]string, len(rows))
		for i, row := range rows {
			captions[i] = row.Text
		}
	}
	return captions[:r.SampleCount(len(captions), "captions")]
}

// openLatent reads the noise from which all pictures are generated: from path, from the data set, or from the generated
// scenes.
func openLatent(r *manifest.Request, path string) *tensor.Dense {
	shape, values := captioned.LatentShape, captioned.Latent()
	switch {
	case path == "" && r.Dataset == "" || path == embeddedFile:
	default:
		if path == "" {
			path = coco2014.FindLatents(r.Dataset)
		}
		read, err := coco2014.ReadLatents(path)
		if err != nil {
			r.AddFault(sdk.Data(err))
			return nil
		}
		shape, values = read.Shape, read.Values
	}
	latent, err := diffusion.NewLatent(shape, values)
	r.AddFault(sdk.Data(err))
	return latent
}

// countAmbiguous counts the captions that the reference may tokenize differently.
func countAmbiguous(captions []string) int {
	n := 0
	for _, c := range captions {
		if clip.MayNeedRepair(c) {
			n++
		}
	}
	return n
}
