package sdxl

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/diffusion"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Names of the model's parts, which are the folders of optimum's export.
const (
	encoderPart  = "text_encoder"
	encoder2Part = "text_encoder_2"
	unetPart     = "unet"
	decoderPart  = "vae_decoder"
)

// errParts is wrapped by every error about parts that belong to different models or to another benchmark.
var errParts = errors.New("the model's parts do not fit")

// rowsPerCaption is the number of rows of the UNet per caption, including the negative prompt's row.
const rowsPerCaption = 2

// Parts returns the text encoders with all their outputs, the UNet and the decoder.
func (w *captionWorkload) Parts() []sdk.Part {
	encoder := func(name string) sdk.Part {
		m := w.files[name]
		m.Inputs = []backend.TensorInfo{integerInfo("input_ids", -1, -1)}
		return sdk.Part{Name: name, Model: m, MaxBatch: 1}
	}
	unet, decoder := w.files[unetPart], w.files[decoderPart]
	unet.Inputs = []backend.TensorInfo{
		floatInfoAnyPrecision("sample", -1, -1, -1, -1),
		{Name: "timestep", DType: backend.Int64, Also: []backend.DType{backend.Float32, backend.Int32, backend.Float16,
			backend.BFloat16}},
		floatInfoAnyPrecision("encoder_hidden_states", -1, -1, -1), floatInfoAnyPrecision("text_embeds", -1, -1),
		floatInfoAnyPrecision("time_ids", -1, 6),
	}
	unet.Outputs = []backend.TensorInfo{floatInfoAnyPrecision("out_sample", -1, -1, -1, -1)}
	decoder.Inputs = []backend.TensorInfo{floatInfoAnyPrecision("latent_sample", -1, -1, -1, -1)}
	decoder.Outputs = []backend.TensorInfo{floatInfoAnyPrecision("sample", -1, 3, -1, -1)}
	return []sdk.Part{
		encoder(encoderPart), encoder(encoder2Part),
		{Name: unetPart, Model: unet, RunsPerSample: float64(w.Steps), MaxBatch: rowsPerCaption * w.batch},
		{Name: decoderPart, Model: decoder, MaxBatch: w.batch},
	}
}

// floatInfoAnyPrecision describes a tensor of floats in any precision.
func floatInfoAnyPrecision(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Float32, Also: []backend.DType{backend.Float16, backend.BFloat16},
		Shape: shape}
}

// integerInfo describes a tensor of token IDs.
func integerInfo(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Int64, Also: []backend.DType{backend.Int32}, Shape: shape}
}

// checkFit compares the encoders' outputs for a prompt, and the latent, with the inputs of the UNet and the decoder.
// The error lists every mismatch.
func checkFit(s sdk.Sessions, p diffusion.EncodedPrompt, latent []int) error {
	unet, decoder := s.Part(unetPart).Inputs(), s.Part(decoderPart).Inputs()
	var faults []error
	check := func(of string, t backend.TensorInfo, axis int, given int, what string) {
		if takes := t.Shape[axis]; takes >= 0 && takes != int64(given) {
			faults = append(faults, fmt.Errorf("%w: %s takes %q of %s, and %s %d", errParts, of, t.Name,
				backend.ShapeString(t.Shape), what, given))
		}
	}
	hidden, pooled := p.Hidden.Shape(), p.Pooled.Shape()
	check("the UNet", unet[2], 2, hidden[2], "the hidden states of both text encoders together have the width")
	check("the UNet", unet[2], 1, hidden[1], "the number of tokens is")
	check("the UNet", unet[3], 1, pooled[1], "text_embeds of text_encoder_2 has the width")
	for axis, what := range []string{1: "the latent's channels are", "the latent's height is", "the latent's width is"} {
		if axis > 0 {
			check("the UNet", unet[0], axis, latent[axis], what)
			check("the decoder", decoder[0], axis, latent[axis], what)
		}
	}
	return errors.Join(slices.Compact(faults)...)
}
