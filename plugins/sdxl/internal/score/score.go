package score

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy/pictures"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
)

// ScoreNetworks runs the models that score the pictures. Its methods may use their arguments until they return.
type ScoreNetworks interface {
	// CLIP returns the features of a picture, given as pixels (1, 3, 224, 224), and of a caption, given as token IDs (1,
	// 77) and a mask that is 0 for padding.
	CLIP(ctx context.Context, pixels []float32, ids, mask []int64) (picture, caption []float32, err error)
	// Inception returns the FID features of a picture, given as values (1, 3, 299, 299).
	Inception(ctx context.Context, values []float32) ([]float32, error)
}

// Sides of the networks' input pictures.
const (
	clipSide      = 224
	inceptionSide = 299
)

// ScoreOptions contains the reference data and the networks.
type ScoreOptions struct {
	Captions      []string             // unchanged caption of each sample
	Tokenizer     *clip.Tokenizer      // made with clip.Options.Scorer
	Real          *pictures.Statistics // statistics of the real pictures
	Width, Height int                  // size of the pictures in pixels: eight times the latent's
	Networks      ScoreNetworks
	Memory        *FeatureMemory // features of this scoring and of an interrupted one; nil: not kept
}

// PictureScorer scores the pictures of a log. It is not safe for concurrent use.
type PictureScorer struct {
	ScoreOptions
	scores    *pictures.CaptionScorer
	generated pictures.FeatureSet

	clip      image.Recipe
	inception image.Stretch
	pixels    []float32
	values    []float32
}

// NewPictureScorer returns a scorer.
func NewPictureScorer(o ScoreOptions) *PictureScorer {
	s := &PictureScorer{
		ScoreOptions: o, scores: pictures.NewCaptionScorer(len(o.Captions)),
		clip: image.OpenCLIP(clipSide, image.NCHW), inception: image.Inception(inceptionSide, image.NCHW),
	}
	s.pixels, s.values = make([]float32, s.clip.Len()), make([]float32, s.inception.Len())
	return s
}

// Add scores an entry of the log. index is the sample (qsl_idx). payload is the picture: rows from top to bottom, red,
// green and blue levels of each pixel together. If a sample has several entries, the first one counts. If Add returns
// an error, the entry has no effect on the result.
func (s *PictureScorer) Add(ctx context.Context, index uint64, payload []byte) error {
	if wanted, err := s.scores.NeedsScore(index); err != nil || !wanted {
		return err
	}
	if want := 3 * s.Width * s.Height; len(payload) != want {
		return fmt.Errorf("%w: sample %d has %d bytes, want %d: %dx%d pixels of red, green and blue", ErrPayload, index,
			len(payload), want, s.Width, s.Height)
	}
	f, err := s.pictureFeatures(ctx, index, payload)
	if err != nil {
		return err
	}
	return s.addFeatures(index, f)
}

// pictureFeatures returns the features of a picture: stored ones, or new ones, which it stores.
func (s *PictureScorer) pictureFeatures(ctx context.Context, index uint64, payload []byte) (sampleFeatures, error) {
	if s.Memory == nil {
		return s.runNetworks(ctx, index, payload)
	}
	if f, known := s.Memory.features[index]; known {
		return f, nil
	}
	f, err := s.runNetworks(ctx, index, payload)
	if err != nil {
		return f, err
	}
	return f, s.Memory.addRecord(index, f)
}

// runNetworks computes the features of a picture and its caption.
func (s *PictureScorer) runNetworks(ctx context.Context, index uint64, payload []byte) (f sampleFeatures, err error) {
	img := &image.RGB{W: s.Width, H: s.Height, Pix: payload}
	if err := s.clip.Apply(s.pixels, img); err != nil {
		return f, err
	}
	if err := s.inception.Apply(s.values, img); err != nil {
		return f, err
	}
	ids, mask := s.captionTokens(s.Captions[index])
	if f.picture, f.caption, err = s.Networks.CLIP(ctx, s.pixels, ids, mask); err != nil {
		return f, fmt.Errorf("sample %d: clip: %w", index, err)
	}
	if f.inception, err = s.Networks.Inception(ctx, s.values); err != nil {
		return f, fmt.Errorf("sample %d: inception: %w", index, err)
	}
	return f, nil
}

// addFeatures adds a picture to both scores, or to neither on error.
func (s *PictureScorer) addFeatures(index uint64, f sampleFeatures) error {
	if len(f.inception) != s.Real.Width() {
		return fmt.Errorf("%w: sample %d has %d, the statistics of the real pictures %d: are they of the same network?",
			pictures.ErrFeatures, index, len(f.inception), s.Real.Width())
	}
	if _, err := pictures.CaptionScore(f.picture, f.caption); err != nil {
		return fmt.Errorf("sample %d: %w", index, err)
	}
	if err := s.generated.Add(f.inception); err != nil {
		return fmt.Errorf("sample %d: %w", index, err)
	}
	return s.scores.Add(index, f.picture, f.caption)
}

func (s *PictureScorer) captionTokens(caption string) (ids, mask []int64) {
	used := s.Tokenizer.Encode(nil, caption)
	for _, id := range s.Tokenizer.EncodePadded(nil, caption) {
		ids = append(ids, int64(id))
	}
	return ids, append(slices.Repeat([]int64{1}, len(used)), make([]int64, len(ids)-len(used))...)
}

// PictureScores contains the metrics of a log.
type PictureScores struct {
	CLIP, FID float64 // not rounded
}

// Result returns the metrics of the entries added so far. It requires two samples or more.
func (s *PictureScorer) Result() (PictureScores, error) {
	scores, err := s.scores.Result()
	if err != nil {
		return PictureScores{}, err
	}
	generated, err := s.generated.Statistics()
	if err != nil {
		return PictureScores{}, err
	}
	distance, err := pictures.Distance(s.Real, generated)
	return PictureScores{CLIP: scores.Score, FID: distance}, err
}

// String returns the line that the official script writes to accuracy.txt. The submission checker cannot read negative
// scores in it.
func (r PictureScores) String() string {
	return fmt.Sprintf("Accuracy Results: {'FID_SCORE': '%s', 'CLIP_SCORE': '%s'}", pyfloat.Repr(r.FID),
		pyfloat.Repr(r.CLIP))
}
