package texttoimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/tensor"

	clipscore "github.com/plumbline-ml/plumbline/accuracy/clip"
	"github.com/plumbline-ml/plumbline/accuracy/fid"
	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/datasets/coco2014"
	"github.com/plumbline-ml/plumbline/internal/golden"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/diffusion"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/euler"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/score"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// negativePrompt is the reference's, of every sample.
const negativePrompt = "normal quality, low quality, worst quality, low res, blurry, nsfw, nude"

// textToImage is a case: a random model of Stable Diffusion XL's shape in the official layout, with what the reference
// made.
type textToImage struct {
	Samples  int
	Steps    int
	Guidance float32  `json:"guidance_scale"`
	SHA      []string `json:"image_sha256"`
	Scorer   struct {
		Scores    []float64 `json:"clip_score_per_sample"`
		CLIP      float64   `json:"CLIP_SCORE"`
		FID       float64   `json:"FID_SCORE"`
		Line      string    `json:"accuracy_line"`
		Tolerance struct {
			CLIP float64 `json:"clip_score"`
			FID  float64 `json:"fid_relative"`
		}
	}
	Tolerance struct {
		Levels int
		Share  float64 `json:"share_of_bytes"`
	} `json:"image_tolerance"`
}

// TestGoldenTextToImage makes the pictures of the reference's log from its captions and latent, all networks on ONNX
// Runtime, and scores those of the log.
func TestGoldenTextToImage(t *testing.T) {
	library := onnxRuntime(t)
	golden.Each(t, "text_to_image/e2e/expected.json", func(t *testing.T, path string) {
		var want textToImage
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		captions, err := coco2014.ReadCaptions(filepath.Join(dir, "data", coco2014.CaptionsFile))
		if err != nil || len(captions) != want.Samples {
			t.Fatalf("%d captions, %v; want %d", len(captions), err, want.Samples)
		}
		pictures := make([][]byte, want.Samples)
		golden.AddLog(t, dir, func(index uint64, payload []byte) error {
			pictures[index] = payload
			return nil
		})
		t.Run("pictures", func(t *testing.T) { want.checkPictures(t, library, dir, captions, pictures) })
		t.Run("scores", func(t *testing.T) { want.checkScores(t, library, dir, captions, pictures) })
	})
}

// checkPictures makes them in batches of 1, 2, 3 ...
func (want *textToImage) checkPictures(t *testing.T, b ort.Backend, dir string, captions []coco2014.Caption,
	pictures [][]byte) {
	t.Helper()
	m := openModel(t, b, filepath.Join(dir, "model"))
	p := want.pipeline(t, dir, m)
	differ, all, worst := 0, 0, 0
	for from, size := 0, 1; from < len(captions); from, size = from+size, size+1 {
		batch := captions[from:min(from+size, len(captions))]
		var prompts []diffusion.Prompt
		for _, c := range batch {
			prompts = append(prompts, m.prompt(t, c.Text))
		}
		got, err := p.Generate(t.Context(), m, prompts)
		if err != nil {
			t.Fatal(err)
		}
		for i, picture := range got {
			for at, v := range pictures[from+i] {
				apart := max(int(v), int(picture[at])) - min(int(v), int(picture[at]))
				worst, all = max(worst, apart), all+1
				if apart > 0 {
					differ++
				}
			}
		}
	}
	t.Logf("%d of %d bytes differ, by at most %d levels", differ, all, worst)
	if worst > want.Tolerance.Levels || float64(differ) > want.Tolerance.Share*float64(all) || all == 0 {
		t.Errorf("%d of %d bytes differ, by at most %d levels; want %+v", differ, all, worst, want.Tolerance)
	}
}

func (want *textToImage) pipeline(t *testing.T, dir string, m *model) *diffusion.Pipeline {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "model", "scheduler", "scheduler_config.json"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := euler.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := config.Steps(want.Steps)
	if err != nil {
		t.Fatal(err)
	}
	read, err := coco2014.ReadLatents(coco2014.FindLatents(filepath.Join(dir, "data")))
	if err != nil {
		t.Fatal(err)
	}
	latent, err := diffusion.NewLatent(read.Shape, read.Values)
	if err != nil {
		t.Fatal(err)
	}
	var vae struct {
		Factor float32 `json:"scaling_factor"`
	}
	golden.ReadJSON(t, filepath.Join(dir, "model", "vae_decoder", "config.json"), &vae)
	return &diffusion.Pipeline{
		Schedule: schedule, Guidance: want.Guidance, ScalingFactor: vae.Factor, Latent: latent,
		Negative: m.prompt(t, negativePrompt),
	}
}

// model is the folder's networks and tokenizers.
type model struct {
	tokenizers               [2]*clip.Tokenizer
	first, second, unet, vae backend.Session
}

func openModel(t *testing.T, b ort.Backend, dir string) *model {
	t.Helper()
	part := func(name string, inputs, outputs []backend.TensorInfo) backend.Session {
		return openONNX(t, b, filepath.Join(dir, name, "model.onnx"), inputs, outputs)
	}
	// The hidden states before the last: of 3 and 4 layers.
	return &model{
		tokenizers: [2]*clip.Tokenizer{openTokenizer(t, dir, "tokenizer"), openTokenizer(t, dir, "tokenizer_2")},
		first:      part("text_encoder", inputs("input_ids", backend.Int32, 2), outputs("hidden_states.2", 3)),
		second: part("text_encoder_2", inputs("input_ids", backend.Int64, 2),
			slices.Concat(outputs("hidden_states.3", 3), outputs("text_embeds", 2))),
		unet: part("unet", slices.Concat(inputs("sample", backend.Float32, 4), inputs("timestep", backend.Int64, 1),
			inputs("encoder_hidden_states", backend.Float32, 3), inputs("text_embeds", backend.Float32, 2),
			inputs("time_ids", backend.Float32, 2)), outputs("out_sample", 4)),
		vae: part("vae_decoder", inputs("latent_sample", backend.Float32, 4), outputs("sample", 4)),
	}
}

func inputs(name string, d backend.DType, axes int) []backend.TensorInfo {
	return []backend.TensorInfo{{Name: name, DType: d, Shape: slices.Repeat([]int64{-1}, axes)}}
}

func outputs(name string, axes int) []backend.TensorInfo { return inputs(name, backend.Float32, axes) }

func openTokenizer(t *testing.T, dir, name string) *clip.Tokenizer {
	t.Helper()
	var files [3][]byte
	for i, file := range []string{"tokenizer_config.json", "vocab.json", "merges.txt"} {
		var err error
		if files[i], err = os.ReadFile(filepath.Join(dir, name, file)); err != nil {
			t.Fatal(err)
		}
	}
	o, err := clip.ParseConfig(files[0])
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := clip.Parse(files[1], files[2], o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func (m *model) prompt(t *testing.T, text string) diffusion.Prompt {
	t.Helper()
	ids := m.tokenizers[0].EncodePadded(nil, text)
	wide := widened(m.tokenizers[1].EncodePadded(nil, text))
	one := run(t, m.first, given("input_ids", []int64{1, int64(len(ids))}, backend.Int32, backend.Bytes(ids)))
	two := run(t, m.second, given("input_ids", []int64{1, int64(len(wide))}, backend.Int64, backend.Bytes(wide)))
	p, err := diffusion.NewPrompt(one[0], two[0], two[1])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func widened(ids []int32) []int64 {
	wide := make([]int64, len(ids))
	for i, id := range ids {
		wide[i] = int64(id)
	}
	return wide
}

func (m *model) Denoise(ctx context.Context, in *diffusion.Step) (*tensor.Dense, error) {
	time := []int64{int64(in.Timestep)}
	out, err := runSession(ctx, m.unet, givenTensor("sample", in.Sample),
		given("timestep", []int64{1}, backend.Int64, backend.Bytes(time)), givenTensor("encoder_hidden_states", in.Hidden),
		givenTensor("text_embeds", in.Pooled), givenTensor("time_ids", in.TimeIDs))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func (m *model) Decode(ctx context.Context, latents *tensor.Dense) (*tensor.Dense, error) {
	out, err := runSession(ctx, m.vae, givenTensor("latent_sample", latents))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func given(name string, shape []int64, d backend.DType, data []byte) backend.Tensor {
	return backend.Tensor{Name: name, DType: d, Shape: shape, Data: data}
}

func givenTensor(name string, d *tensor.Dense) backend.Tensor {
	var shape []int64
	for _, n := range d.Shape() {
		shape = append(shape, int64(n))
	}
	return given(name, shape, backend.Float32, backend.Bytes(d.Data().([]float32)))
}

func run(t *testing.T, s backend.Session, in ...backend.Tensor) []*tensor.Dense {
	t.Helper()
	out, err := runSession(t.Context(), s, in...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// runSession copies the outputs, all of float32.
func runSession(ctx context.Context, s backend.Session, in ...backend.Tensor) ([]*tensor.Dense, error) {
	out := make([]backend.Tensor, len(s.Outputs()))
	if err := s.Run(ctx, in, out); err != nil {
		return nil, err
	}
	all := make([]*tensor.Dense, len(out))
	for i := range out {
		var shape []int
		for _, n := range out[i].Shape {
			shape = append(shape, int(n))
		}
		all[i] = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(backend.View[float32](out[i].Data))))
		out[i].Release()
	}
	return all, nil
}

func openONNX(t *testing.T, b ort.Backend, path string, inputs, outputs []backend.TensorInfo) backend.Session {
	t.Helper()
	s, err := b.Open(t.Context(), backend.Model{Name: filepath.Base(filepath.Dir(path)), Path: path, Inputs: inputs,
		Outputs: outputs}, backend.Config{LowLatency: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func onnxRuntime(t *testing.T) ort.Backend {
	t.Helper()
	path, err := ortlib.Find(t.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Skipf("no ONNX Runtime: %v", err)
	}
	return ort.Backend{Library: path}
}

// checkScores scores the pictures of the reference's own log.
func (want *textToImage) checkScores(t *testing.T, b ort.Backend, dir string, captions []coco2014.Caption,
	pictures [][]byte) {
	t.Helper()
	read, err := coco2014.ReadStatistics(filepath.Join(dir, "scorer", "statistics.npz"))
	if err != nil {
		t.Fatal(err)
	}
	real, err := fid.NewStatistics(read.Mean, read.Covariance)
	if err != nil {
		t.Fatal(err)
	}
	judges := openJudges(t, b, dir)
	side := int(math.Sqrt(float64(len(pictures[0]) / 3)))
	o := score.Options{Tokenizer: scorerTokenizer(t, dir), Real: real, Width: side, Height: side, Networks: judges}
	for _, c := range captions {
		o.Captions = append(o.Captions, c.Text)
	}
	s := score.New(o)
	for i, pixels := range pictures {
		if sum := sha256.Sum256(pixels); hex.EncodeToString(sum[:]) != want.SHA[i] {
			t.Fatalf("picture %d is another one", i)
		}
		if err := s.Add(t.Context(), uint64(i), pixels); err != nil {
			t.Fatal(err)
		}
		got, err := clipscore.Score(judges.picture, judges.caption)
		if err != nil || math.Abs(got-want.Scorer.Scores[i]) > want.Scorer.Tolerance.CLIP {
			t.Errorf("picture %d: %v, %v; want %v", i, got, err, want.Scorer.Scores[i])
		}
	}
	r, err := s.Result()
	if err != nil || math.Abs(r.CLIP-want.Scorer.CLIP) > want.Scorer.Tolerance.CLIP ||
		math.Abs(r.FID-want.Scorer.FID) > want.Scorer.Tolerance.FID*want.Scorer.FID {
		t.Errorf("%+v, %v; want CLIP_SCORE %v, FID_SCORE %v", r, err, want.Scorer.CLIP, want.Scorer.FID)
	}
	exact := score.Result{CLIP: want.Scorer.CLIP, FID: want.Scorer.FID}
	if exact.String() != want.Scorer.Line {
		t.Errorf("%s, want %s", exact, want.Scorer.Line)
	}
}

// judges are the stand-ins for CLIP and Inception.
type judges struct {
	pair, features   backend.Session
	picture, caption []float32 // what the last call of CLIP gave
}

func openJudges(t *testing.T, b ort.Backend, dir string) *judges {
	t.Helper()
	return &judges{
		pair: openONNX(t, b, filepath.Join(dir, "scorer", "clip.onnx"), slices.Concat(inputs("input_ids", backend.Int64, 2),
			inputs("pixel_values", backend.Float32, 4), inputs("attention_mask", backend.Int64, 2)),
			slices.Concat(outputs("image_embeds", 2), outputs("text_embeds", 2))),
		features: openONNX(t, b, filepath.Join(dir, "scorer", "features.onnx"), inputs("", backend.Float32, 4), nil),
	}
}

func scorerTokenizer(t *testing.T, dir string) *clip.Tokenizer {
	t.Helper()
	words := filepath.Join(dir, "..", "tokenizer", "tokenizer")
	vocab, err := os.ReadFile(filepath.Join(words, "vocab.json"))
	if err != nil {
		t.Fatal(err)
	}
	merges, err := os.ReadFile(filepath.Join(words, "merges.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := clip.Parse(vocab, merges, clip.Options{Scorer: true})
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func (j *judges) CLIP(ctx context.Context, pixels []float32, ids, mask []int64) (picture, caption []float32,
	err error) {
	row := []int64{1, int64(len(ids))}
	out, err := runSession(ctx, j.pair, given("input_ids", row, backend.Int64, backend.Bytes(ids)),
		given("pixel_values", []int64{1, 3, 224, 224}, backend.Float32, backend.Bytes(pixels)),
		given("attention_mask", row, backend.Int64, backend.Bytes(mask)))
	if err != nil {
		return nil, nil, err
	}
	j.picture, j.caption = out[0].Data().([]float32), out[1].Data().([]float32)
	return j.picture, j.caption, nil
}

func (j *judges) Inception(ctx context.Context, values []float32) ([]float32, error) {
	out, err := runSession(ctx, j.features, given("", []int64{1, 3, 299, 299}, backend.Float32, backend.Bytes(values)))
	if err != nil {
		return nil, err
	}
	return out[0].Data().([]float32), nil
}
