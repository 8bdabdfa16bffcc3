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

// The models of the scorer.
const (
	clipPart      = "clip"
	inceptionPart = "inception"
)

// judges are the sessions of the scorer's models: score.Networks.
type judges struct {
	pair, features backend.Session
	narrow         [2][]int32 // ids and mask, where the file asks for int32
}

// openJudges opens both. CLIP's is the form of optimum's export.
func openJudges(ctx context.Context, r *manifest.Request) (*judges, error) {
	if r.OpenPart == nil {
		return nil, errors.New("the scorer runs two models, and nobody opens them: score in a plugin")
	}
	pair, features := r.Files[clipPart], r.Files[inceptionPart]
	pair.Inputs = []backend.TensorInfo{
		integers("input_ids", -1, -1), single("pixel_values", -1, 3, 224, 224), integers("attention_mask", -1, -1),
	}
	pair.Outputs = []backend.TensorInfo{single("image_embeds", -1, -1), single("text_embeds", -1, -1)}
	features.Inputs = []backend.TensorInfo{single("", -1, 3, 299, 299)}
	features.Outputs = []backend.TensorInfo{{DType: backend.Float32}}
	var j judges
	var err, err2 error
	j.pair, err = r.OpenPart(ctx, sdk.Part{Name: clipPart, Model: pair, MaxBatch: 1})
	j.features, err2 = r.OpenPart(ctx, sdk.Part{Name: inceptionPart, Model: features, MaxBatch: 1})
	return &j, errors.Join(err, err2)
}

func single(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Float32, Shape: shape}
}

// CLIP runs the scorer's clip.
func (j *judges) CLIP(ctx context.Context, pixels []float32, ids, mask []int64) (picture, caption []float32,
	err error) {
	inputs := j.pair.Inputs()
	in := []backend.Tensor{
		j.integers(0, inputs[0], ids), floats(inputs[1].Name, pixels, 1, 3, 224, 224), j.integers(1, inputs[2], mask),
	}
	rows, err := row(ctx, j.pair, in)
	if err != nil {
		return nil, nil, err
	}
	return rows[0], rows[1], nil
}

// Inception runs the scorer's inception.
func (j *judges) Inception(ctx context.Context, values []float32) ([]float32, error) {
	in := []backend.Tensor{floats(j.features.Inputs()[0].Name, values, 1, 3, 299, 299)}
	rows, err := row(ctx, j.features, in)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

func floats(name string, values []float32, shape ...int64) backend.Tensor {
	return backend.Tensor{Name: name, DType: backend.Float32, Shape: shape, Data: backend.Bytes(values)}
}

// integers is a row of ids in the type that the file asks for.
func (j *judges) integers(i int, info backend.TensorInfo, values []int64) backend.Tensor {
	in := backend.Tensor{Name: info.Name, DType: info.DType, Shape: []int64{1, int64(len(values))}}
	if info.DType != backend.Int32 {
		in.DType, in.Data = backend.Int64, backend.Bytes(values)
		return in
	}
	j.narrow[i] = j.narrow[i][:0]
	for _, v := range values {
		j.narrow[i] = append(j.narrow[i], int32(v))
	}
	in.Data = backend.Bytes(j.narrow[i])
	return in
}

// row runs a session on one picture and copies its outputs: (1, n), or (1, n, 1, 1).
func row(ctx context.Context, s backend.Session, in []backend.Tensor) ([][]float32, error) {
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

// openScorerTokenizer reads the scorer's vocabulary: from the folder that the parameter names, or that of clip's file,
// where optimum puts it.
func openScorerTokenizer(folder string, clipFile backend.Model) (*clip.Tokenizer, error) {
	files, prefix, err := scorerVocabulary(folder, clipFile)
	if err != nil {
		return nil, err
	}
	t, err := readVocabulary(files, prefix, clip.Options{Scorer: true})
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("the vocabulary of the scorer's clip (parameter scorer_vocabulary names its "+
			"folder): %w", err))
	}
	return t, nil
}
