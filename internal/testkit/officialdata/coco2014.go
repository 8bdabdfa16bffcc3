package officialdata

import (
	"archive/zip"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// The captions' last letters and their meanings: the shade of the picture, and the features of the caption.
var (
	shadeLetters  = "jkqvz"
	shades        = []float64{-0.8, -0.4, 0, 0.4, 0.8}
	letterVectors = [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}}
)

// Values of the released scheduler for 20 steps, and other values of Stable Diffusion XL.
const (
	firstSigma    = 11.028336
	startScale    = 11.07358
	scalingFactor = 0.13025
	guidance      = 8
	latentSide    = 8 // for pictures of 64 pixels
)

// latentColours is the noise: one number for each channel.
var latentColours = []float32{0.001, -0.002, 0.003, 0}

// clipTokens returns CLIP's first 512 symbols in their order: the bytes within a word, and the bytes at the end of a
// word.
func clipTokens() []string {
	all := byteNames()
	var printed, others []string
	for b, name := range all {
		if name == string(rune(b)) {
			printed = append(printed, name)
		} else {
			others = append(others, name)
		}
	}
	symbols := append(printed, others...)
	for _, s := range symbols[:256] {
		symbols = append(symbols, s+"</w>")
	}
	return append(symbols, "<|startoftext|>", "<|endoftext|>")
}

// SDXL returns the drawer for the captions of COCO2014.
func SDXL() tinymodel.Drawer {
	tokens := clipTokens()
	d := tinymodel.Drawer{Shades: make([]float32, len(tokens)), Tokens: make([]float32, 3*len(tokens))}
	for i, token := range tokens {
		if k := strings.Index(shadeLetters, strings.TrimSuffix(token, "</w>")); k >= 0 && len(token) == 1+len("</w>") {
			d.Shades[i] = float32(-shades[k] * scalingFactor / guidance / firstSigma)
			for c, v := range letterVectors[k] {
				d.Tokens[3*i+c] = float32(v)
			}
		}
	}
	return d
}

// SDXLFolder writes the files of optimum's export other than the networks.
func SDXLFolder(dir string) error {
	faults := []error{
		writeJSON(filepath.Join(dir, "vae_decoder", "config.json"), map[string]any{"scaling_factor": scalingFactor}),
		writeJSON(filepath.Join(dir, "scheduler", "scheduler_config.json"), map[string]any{
			"_class_name": "EulerDiscreteScheduler", "_diffusers_version": "0.19.0.dev0", "beta_start": 0.00085,
			"beta_end": 0.012, "beta_schedule": "scaled_linear", "interpolation_type": "linear", "num_train_timesteps": 1000,
			"prediction_type": "epsilon", "steps_offset": 1, "timestep_spacing": "leading", "trained_betas": nil,
			"use_karras_sigmas": false,
		}),
	}
	for folder, pad := range map[string]string{"tokenizer": "<|endoftext|>", "tokenizer_2": "!"} {
		faults = append(faults, CLIPVocabulary(filepath.Join(dir, folder)), writeJSON(
			filepath.Join(dir, folder, "tokenizer_config.json"), map[string]any{
				"add_prefix_space": false, "bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>",
				"unk_token": "<|endoftext|>", "pad_token": pad, "do_lower_case": true, "errors": "replace",
				"model_max_length": 77, "tokenizer_class": "CLIPTokenizer",
			}))
	}
	return errors.Join(faults...)
}

// CLIPVocabulary writes vocab.json, and a merges.txt without merges.
func CLIPVocabulary(dir string) error {
	ids := map[string]int{}
	for id, token := range clipTokens() {
		ids[token] = id
	}
	return errors.Join(writeJSON(filepath.Join(dir, "vocab.json"), ids),
		write(filepath.Join(dir, "merges.txt"), []byte("#version: 0.2\n")))
}

// COCO2014 writes a data set with a number of captions and with statistics of the real pictures for one feature with
// mean 0.25 and variance 0.5. It returns the scores of the pictures that SDXL draws.
func COCO2014(dir string, captions int) (clip, fid float64, err error) {
	var rows strings.Builder
	rows.WriteString("id\timage_id\tcaption\theight\twidth\tfile_name\tcoco_url\n")
	var features []float64
	for i := range captions {
		k := i % len(shades)
		fmt.Fprintf(&rows, "%d\t%d\t\"A \"\"picture\"\" of %c\"\t64\t64\tCOCO_val2014_%012d.jpg\t\n", 40+i, i,
			shadeLetters[k], i)
		score, feature := shadeScores(k)
		clip += score / float64(captions)
		features = append(features, feature)
	}
	statistics, errNPZ := archive(map[string][]byte{
		"mu": array([]float64{0.25}, 1), "sigma": array([]float64{0.5}, 1, 1),
	}, zip.Deflate)
	latent := make([]float32, 0, 4*latentSide*latentSide)
	for _, v := range latentColours {
		for range latentSide * latentSide {
			latent = append(latent, v)
		}
	}
	return clip, frechetDistance(features, 0.25, 0.5), errors.Join(errNPZ,
		write(filepath.Join(dir, "captions", "captions.tsv"), []byte(rows.String())),
		write(filepath.Join(dir, "latents", "latents.npy"), array(latent, 1, 4, latentSide, latentSide)),
		write(filepath.Join(dir, "val2014.npz"), statistics))
}

// shadeScores returns the CLIP score and the feature of a picture with a shade.
func shadeScores(k int) (score, feature float64) {
	means := []float64{0.48145466, 0.4578275, 0.40821073}
	deviations := []float64{0.26862954, 0.26130258, 0.27577711}
	var product, picture, caption float64
	for c := range 3 {
		v := shades[k] + float64(latentColours[c])*startScale/scalingFactor
		level := math.RoundToEven(255 * min(max(v/2+0.5, 0), 1))
		pixel := (level/255 - means[c]) / deviations[c]
		product += pixel * letterVectors[k][c]
		picture += pixel * pixel
		caption += letterVectors[k][c] * letterVectors[k][c]
		feature += (2*level/255 - 1) / 3
	}
	return 100 * product / math.Sqrt(picture*caption), feature
}

// frechetDistance returns the Fréchet distance of one feature to a mean and a variance.
func frechetDistance(features []float64, mean, variance float64) float64 {
	n := float64(len(features))
	var m, v float64
	for _, f := range features {
		m += f / n
	}
	for _, f := range features {
		v += (f - m) * (f - m) / (n - 1)
	}
	return (mean-m)*(mean-m) + variance + v - 2*math.Sqrt(variance*v)
}
