package sdxl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Names of the scorer's models.
const (
	clipPart      = "clip"
	inceptionPart = "inception"
)

// scorerNetworks contains the sessions of the scorer's models. It implements score.ScoreNetworks.
type scorerNetworks struct {
	clipSession, inceptionSession backend.Session
	int32Buffers                  [2][]int32 // token IDs and mask if the file requires int32
}

// openScorerNetworks opens both models. CLIP must have the form of optimum's export.
func openScorerNetworks(ctx context.Context, r *manifest.Request) (*scorerNetworks, error) {
	if r.OpenPart == nil {
		return nil, errors.New("the scorer runs two models, and nobody opens them: score in a plugin")
	}
	pair, features := r.Files[clipPart], r.Files[inceptionPart]
	pair.Inputs = []backend.TensorInfo{
		integerInfo("input_ids", -1, -1), floatInfo("pixel_values", -1, 3, 224, 224), integerInfo("attention_mask", -1, -1),
	}
	pair.Outputs = []backend.TensorInfo{floatInfo("image_embeds", -1, -1), floatInfo("text_embeds", -1, -1)}
	features.Inputs = []backend.TensorInfo{floatInfo("", -1, 3, 299, 299)}
	features.Outputs = []backend.TensorInfo{{DType: backend.Float32}}
	var j scorerNetworks
	var err, err2 error
	j.clipSession, err = r.OpenPart(ctx, sdk.Part{Name: clipPart, Model: pair, MaxBatch: 1})
	j.inceptionSession, err2 = r.OpenPart(ctx, sdk.Part{Name: inceptionPart, Model: features, MaxBatch: 1})
	return &j, errors.Join(err, err2)
}

func floatInfo(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Float32, Shape: shape}
}

// CLIP runs the CLIP model.
func (j *scorerNetworks) CLIP(ctx context.Context, pixels []float32, ids, mask []int64) (picture, caption []float32,
	err error) {
	inputs := j.clipSession.Inputs()
	in := []backend.Tensor{
		j.integerTensor(0, inputs[0], ids), floatTensor(inputs[1].Name, pixels, 1, 3, 224, 224), j.integerTensor(1,
			inputs[2], mask),
	}
	rows, err := runSession(ctx, j.clipSession, in)
	if err != nil {
		return nil, nil, err
	}
	return rows[0], rows[1], nil
}

// Inception runs the Inception model.
func (j *scorerNetworks) Inception(ctx context.Context, values []float32) ([]float32, error) {
	in := []backend.Tensor{floatTensor(j.inceptionSession.Inputs()[0].Name, values, 1, 3, 299, 299)}
	rows, err := runSession(ctx, j.inceptionSession, in)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

func floatTensor(name string, values []float32, shape ...int64) backend.Tensor {
	return backend.Tensor{Name: name, DType: backend.Float32, Shape: shape, Data: backend.Bytes(values)}
}

// integerTensor returns values as a row in the type that the file requires.
func (j *scorerNetworks) integerTensor(i int, info backend.TensorInfo, values []int64) backend.Tensor {
	in := backend.Tensor{Name: info.Name, DType: info.DType, Shape: []int64{1, int64(len(values))}}
	if info.DType != backend.Int32 {
		in.DType, in.Data = backend.Int64, backend.Bytes(values)
		return in
	}
	j.int32Buffers[i] = j.int32Buffers[i][:0]
	for _, v := range values {
		j.int32Buffers[i] = append(j.int32Buffers[i], int32(v))
	}
	in.Data = backend.Bytes(j.int32Buffers[i])
	return in
}

// runSession runs a session on one picture and copies its outputs, which must be (1, n) or (1, n, 1, 1).
func runSession(ctx context.Context, s backend.Session, in []backend.Tensor) ([][]float32, error) {
	out := make([]backend.Tensor, len(s.Outputs()))
	if err := s.Run(ctx, in, out); err != nil {
		return nil, err
	}
	all := make([][]float32, len(out))
	for i := range out {
		t := &out[i]
		if n := backend.Elements(t.Shape); t.DType != backend.Float32 || len(t.Shape) < 2 || t.Shape[0] != 1 ||
			t.Shape[1] != n || int64(len(t.Data)) != 4*n {
			return nil, fmt.Errorf("%w: %q is %v%s with %d bytes, want one row of float32", errOutput, t.Name, t.DType,
				backend.ShapeString(t.Shape), len(t.Data))
		}
		all[i] = slices.Clone(backend.View[float32](t.Data))
		t.Release()
	}
	return all, nil
}

// openScorerTokenizer reads the scorer's vocabulary from the folder that the parameter names, or from the folder of
// CLIP's file, where optimum writes it.
func openScorerTokenizer(folder string, clipFile backend.Model) (*clip.Tokenizer, error) {
	files, prefix, err := findScorerVocabulary(folder, clipFile)
	if err != nil {
		return nil, err
	}
	t, err := readVocabulary(files, prefix, clip.TokenizerOptions{Scorer: true})
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("the vocabulary of the scorer's clip (parameter scorer_vocabulary names its "+
			"folder): %w", err))
	}
	return t, nil
}
