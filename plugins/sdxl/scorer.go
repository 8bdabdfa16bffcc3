package sdxl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/accuracy/pictures"
	"github.com/plumbline-ml/plumbline/datasets/coco2014"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/score"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// openScorer reads the reference data for the pictures and opens the scorer's models.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r)
	captions, latent := openCaptions(r), openLatent(r, s.Latents)
	real, err := openStatistics(s.Statistics, r.Dataset)
	r.AddFault(sdk.Data(err))
	tokenizer, err := openScorerTokenizer(s.ScorerVocabulary, r.Files[clipPart])
	r.AddFault(err)
	if err := r.Err(); err != nil {
		return nil, err
	}
	j, err := openScorerNetworks(ctx, r)
	if err != nil {
		return nil, err
	}
	const perLatent = 8 // pixels
	o := score.ScoreOptions{
		Captions: captions, Tokenizer: tokenizer, Real: real, Networks: j,
		Width: perLatent * latent.Shape()[3], Height: perLatent * latent.Shape()[2],
	}
	m, err := newPictureMetric(ctx, r, o)
	if err != nil {
		return nil, err
	}
	log := scoring.Log{Samples: len(captions), First: true, Exhibits: r.Exhibits, Gallery: newPictureSheet(o)}
	return scoring.New(m, log, m.scorePictures), nil
}

// openStatistics reads the statistics of the real pictures from path, or from val2014.npz in the data set.
func openStatistics(path, dataset string) (*pictures.Statistics, error) {
	var read *coco2014.FeatureStatistics
	var err error
	switch {
	case path == embeddedFile || path == "" && dataset == "":
		read, err = embeddedStatistics()
	case path == "":
		path = filepath.Join(dataset, coco2014.StatisticsFile)
		fallthrough
	default:
		read, err = coco2014.ReadStatistics(path)
	}
	if err != nil {
		return nil, err
	}
	real, err := pictures.NewStatistics(read.Mean, read.Covariance)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return real, nil
}

// pictureMetric computes CLIP_SCORE and FID_SCORE, and collects the pictures for the submission.
type pictureMetric struct {
	ctx         context.Context // ends with the scoring
	scores      *score.PictureScorer
	memory      *score.FeatureMemory // nil: not kept
	memoryErr   error                // reason why memory is nil
	captions    []string
	album       *pictureAlbum
	reusedCount int // number of features from an interrupted scoring
}

func newPictureMetric(ctx context.Context, r *manifest.Request, o score.ScoreOptions) (*pictureMetric, error) {
	s := &pictureMetric{ctx: ctx, captions: o.Captions, album: newPictureAlbum(r.Show, o)}
	if r.Memory != "" {
		key, err := featureKey(r, o)
		if err != nil {
			return nil, sdk.Data(err)
		}
		if s.memory, s.memoryErr = score.OpenMemory(r.Memory, key); s.memoryErr == nil {
			s.reusedCount = s.memory.Len()
			o.Memory = s.memory
		}
	}
	s.scores = score.NewPictureScorer(o)
	return s, nil
}

// featureKey returns a hash of everything that features depend on, except the log, which determines the file's name:
// the scorer's models and the captions.
func featureKey(r *manifest.Request, o score.ScoreOptions) (score.FeatureKey, error) {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, filepath.Base(r.Memory), o.Width, o.Height)
	for _, part := range []string{clipPart, inceptionPart} {
		if err := hashModelFile(h, r.Files[part]); err != nil {
			return score.FeatureKey{}, err
		}
	}
	for _, c := range o.Captions {
		_, _ = fmt.Fprintf(h, "%q\n", c)
	}
	return score.FeatureKey(h.Sum(nil)), nil
}

// hashModelFile adds the content of a model's file to a hash.
func hashModelFile(h io.Writer, m backend.Model) (err error) {
	if m.Path == "" {
		_, err = h.Write(m.Bytes)
		return err
	}
	f, err := bounded.Open(m.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(h, f)
	return err
}

func (s *pictureMetric) Add(sample uint64, picture []byte) error {
	if err := s.scores.Add(s.ctx, sample, picture); err != nil {
		return cmp.Or(context.Cause(s.ctx), err)
	}
	return s.album.addPicture(sample, picture)
}

func (s *pictureMetric) Result() (score.PictureScores, error) { return s.scores.Result() }

// Close keeps the features if the scoring was interrupted.
func (s *pictureMetric) Close() error {
	if s.memory == nil {
		return nil
	}
	return s.memory.Close(false)
}

func (s *pictureMetric) scorePictures(r score.PictureScores, c scoring.Counts) (sdk.Score, error) {
	return sdk.Score{
		Metrics:      []sdk.Metric{{Name: "CLIP_SCORE", Value: r.CLIP}, {Name: "FID_SCORE", Value: r.FID}},
		OfficialText: r.String(), Notes: s.scoreNotes(r, c), Files: s.album.albumFiles(),
	}, s.removeMemory()
}

// removeMemory removes the stored features after the log is scored.
func (s *pictureMetric) removeMemory() error {
	if s.memory == nil {
		return nil
	}
	m := s.memory
	s.memory = nil
	return m.Close(true)
}

func (s *pictureMetric) scoreNotes(r score.PictureScores, c scoring.Counts) (n sdk.Notes) {
	n.AddCount(c.Repeated(), "%d entries dropped: their samples had a picture before")
	n.AddCount(c.Missing(), "%d of %d captions have no picture in the log; the scores are those of the others", c.All)
	n.AddCount(countAmbiguous(s.captions),
		"%d captions are not plain ASCII: the reference repairs text that was read in a wrong "+
			"encoding, and its tokens of these may differ")
	if r.CLIP < 0 {
		n.Add("CLIP_SCORE is below 0: the submission checker finds no such score in accuracy.txt")
	}
	n.AddCount(s.reusedCount, "the features of %d pictures were known of a scoring that ended early")
	if s.memoryErr != nil {
		n.Add("features were not kept for a scoring that ends early: %v", s.memoryErr)
	}
	return append(n, s.album.missingNotes()...)
}
