package wan

import (
	"context"
	"fmt"
	"image"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/wan/internal/frames"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// frameSheet shows frames of some videos, failed ones first. Other videos are not rated, because VBench judges them.
type frameSheet struct {
	ctx    context.Context // ends with the scoring
	scorer *videoScorer
}

// Number of frames shown per video, and the longer side of a shown frame in pixels.
const (
	maxShownFrames = 4
	shownSide      = 160
)

// rateVideo rates prompts without a video as the worst.
func (s frameSheet) rateVideo(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	if len(e.Data) == 0 {
		badness = 1
	}
	return badness, func() (sdk.Exhibit, error) { return s.showFrames(e) }
}

// showFrames draws frames side by side. If they cannot be read, the text contains the reason.
func (s frameSheet) showFrames(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	x := sdk.Exhibit{Caption: fmt.Sprintf("%d: %s", e.QSLIndex, s.scorer.prompts[e.QSLIndex].Prompt)}
	if len(e.Data) == 0 {
		x.Text = "no video"
		return x, nil
	}
	video, err := s.scorer.readEntry(e.QSLIndex, string(e.Data))
	if err != nil {
		x.Text = err.Error()
		return x, nil
	}
	all, err := frames.DecodeFrames(s.ctx, video, maxShownFrames)
	if err != nil {
		x.Text = fmt.Sprintf("%d bytes of %s: %v", len(video), s.scorer.names[e.QSLIndex], err)
		return x, nil
	}
	small := make([]*image.NRGBA, len(all))
	for i, p := range all {
		small[i] = exhibit.Thumbnail(p, shownSide)
	}
	x.PNG, err = exhibit.PNG(exhibit.SideBySide(small...))
	return x, err
}
