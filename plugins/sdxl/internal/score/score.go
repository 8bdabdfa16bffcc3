package score

import (
	"context"
	"fmt"
	"slices"

	clipscore "github.com/plumbline-ml/plumbline/accuracy/clip"
	"github.com/plumbline-ml/plumbline/accuracy/fid"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
)

// ScoreNetworks runs the models that score the pictures. Its methods own their arguments until they return.
type ScoreNetworks interface {
	// CLIP gives the features of a picture, of pixels (1, 3, 224, 224), and of a caption, of ids (1, 77) and a mask of its
	// ids that are no padding.
	CLIP(ctx context.Context, pixels []float32, ids, mask []int64) (picture, caption []float32, err error)
	// Inception gives those of the FID of a picture, of values (1, 3, 299, 299).
	Inception(ctx context.Context, values []float32) ([]float32, error)
}

// The pictures that the networks see.
const (
	clipSide      = 224
	inceptionSide = 299
)

// ScoreOptions contains the references for the pictures.
type ScoreOptions struct {
	Captions      []string        // of sample i the text, as the data set has it
	Tokenizer     *clip.Tokenizer // with clip.Options.Scorer
	Real          *fid.Statistics // of the real pictures
	Width, Height int             // of the pictures in pixels: eight times the latent's
	Networks      ScoreNetworks
	Memory        *FeatureMemory // of the features of an earlier scoring, and of this one; nil: none
}

// PictureScorer scores the pictures of one log. It is not safe for concurrent use.
type PictureScorer struct {
	ScoreOptions
	scores    *clipscore.PictureScorer
	generated fid.FeatureSet

	clip      image.Recipe
	inception image.Stretch
	pixels    []float32
	values    []float32
}

// New returns a scorer.
func New(o ScoreOptions) *PictureScorer {
	s := &PictureScorer{
		ScoreOptions: o, scores: clipscore.New(len(o.Captions)),
		clip: image.OpenCLIP(clipSide, image.NCHW), inception: image.Inception(inceptionSide, image.NCHW),
	}
	s.pixels, s.values = make([]float32, s.clip.Len()), make([]float32, s.inception.Len())
	return s
}

// Add scores an entry of the log: index is the sample (qsl_idx), payload its picture: levels, rows from top to bottom,
// red, green, blue of each pixel together. Of several entries of a sample the first counts. After an error the entry
// has no effect on the result.
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

// pictureFeatures returns the features of a picture: known ones, or new ones, which it keeps.
func (s *PictureScorer) pictureFeatures(ctx context.Context, index uint64, payload []byte) (sampleFeatures, error) {
	if s.Memory == nil {
		return s.runNetworks(ctx, index, payload)
	}
	if f, known := s.Memory.known[index]; known {
		return f, nil
	}
	f, err := s.runNetworks(ctx, index, payload)
	if err != nil {
		return f, err
	}
	return f, s.Memory.addRecord(index, f)
}

// runNetworks shows a picture to the networks.
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

// addFeatures counts a picture for both scores, or for none.
func (s *PictureScorer) addFeatures(index uint64, f sampleFeatures) error {
	if len(f.inception) != s.Real.Width() {
		return fmt.Errorf("%w: sample %d has %d, the statistics of the real pictures %d: are they of the same network?",
			fid.ErrFeatures, index, len(f.inception), s.Real.Width())
	}
	if _, err := clipscore.Score(f.picture, f.caption); err != nil {
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

// PictureScores contains the metrics of one log.
type PictureScores struct {
	CLIP, FID float64 // not rounded
}

// Result returns the metric of the entries added so far, of at least two samples.
func (s *PictureScorer) Result() (PictureScores, error) {
	scores, err := s.scores.Result()
	if err != nil {
		return PictureScores{}, err
	}
	generated, err := s.generated.Statistics()
	if err != nil {
		return PictureScores{}, err
	}
	distance, err := fid.Distance(s.Real, generated)
	return PictureScores{CLIP: scores.Score, FID: distance}, err
}

// String is the line that the official script writes to accuracy.txt. The submission checker reads no score below 0 in
// it.
func (r PictureScores) String() string {
	return fmt.Sprintf("Accuracy Results: {'FID_SCORE': '%s', 'CLIP_SCORE': '%s'}", pyfloat.Repr(r.FID),
		pyfloat.Repr(r.CLIP))
}
