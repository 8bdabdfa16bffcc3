package models

import (
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// sdxlDoors are the doors of text to image, with pictures of 64 x 64 pixels.
func sdxlDoors() []door {
	scores := map[string]float64{}
	drawer := officialdata.SDXL()
	half := drawer
	half.Half = true
	process := "--backend process --backend-opt command=" + filepath.Join(built.Dir(), "plugins", "ortprocess")
	files := "--model sdxl --scorer-model clip=clip/model.onnx --scorer-model inception=inception.onnx --dataset coco2014"
	return []door{{
		model: "stable-diffusion-xl",
		data: func(dir string) (err error) {
			scores["CLIP_SCORE"], scores["FID_SCORE"], err = officialdata.COCO2014(filepath.Join(dir, "coco2014"), 20)
			return errors.Join(err, officialdata.SDXLFolder(filepath.Join(dir, "sdxl")),
				officialdata.CLIPVocabulary(filepath.Join(dir, "clip")))
		},
		layouts: []string{
			"a folder with captions/captions.tsv, latents/latents.npy or latents.pt, and val2014.npz for scoring",
		},
		files: map[string]*onnxfile.Graph{
			"sdxl/text_encoder/model.onnx": drawer.TextEncoder(), "sdxl/text_encoder_2/model.onnx": drawer.TextEncoder2(),
			"sdxl/unet/model.onnx": drawer.UNet(64), "sdxl/vae_decoder/model.onnx": drawer.VAEDecoder(),
			"clip/model.onnx": drawer.CLIP(), "inception.onnx": drawer.Inception(),
			"half/unet.onnx": half.UNet(64), "half/vae_decoder.onnx": half.VAEDecoder(),
		},
		scores: map[string]map[string]float64{"out/sdxl-smoke": scores},
		also: []form{
			{files + " --batch 3", scores},
			{files + " " + process, scores},
			{"--model text_encoder=sdxl/text_encoder/model.onnx --model text_encoder_2=sdxl/text_encoder_2/model.onnx " +
				"--model unet=half/unet.onnx --model vae_decoder=half/vae_decoder.onnx --param config=sdxl " +
				"--scorer-model clip=clip/model.onnx --scorer-model inception=inception.onnx --dataset coco2014", scores},
			{files + " --param config=sdxl --param latents=coco2014/latents/latents.npy " +
				"--param statistics=coco2014/val2014.npz " +
				"--param scorer_vocabulary=clip", scores},
		},
	}}
}

// TestPicturesToHandIn: an accuracy run writes the pictures that its round requires, one in a fixed number, and their
// captions. A round that requires none has none.
func TestPicturesToHandIn(t *testing.T) {
	t.Parallel()
	for round, want := range map[string]bool{"v5.0": true, "v6.1": false} {
		out, count := t.TempDir(), "96"
		if !want {
			count = "4"
		}
		harness.Run(t, "run", "stable-diffusion-xl", "--rules", round, "--mode", "accuracy", "--scenario", "Offline",
			"--count", count, "--quiet", "--out", out).WantCode(t, 0)
		images := filepath.Join(out, "stable-diffusion-xl", "Offline", "accuracy", "images")
		if !want {
			if _, err := os.Stat(images); err == nil {
				t.Errorf("%s asks for no pictures, and %s is there", round, images)
			}
			continue
		}
		file, err := os.Open(filepath.Join(images, "95.png"))
		if err != nil {
			t.Fatal(err)
		}
		size, err := png.DecodeConfig(file)
		if err = errors.Join(err, file.Close()); err != nil || size.Width != 64 || size.Height != 64 {
			t.Errorf("%s: %d x %d, %v; want a picture of 64 x 64", file.Name(), size.Width, size.Height, err)
		}
		if text := testfile.Read(t, filepath.Join(images, "captions.txt")); !strings.HasPrefix(text, "95  A white circle") ||
			strings.Count(text, "\n") != 1 {
			t.Errorf("captions.txt is %q", text)
		}
	}
}
