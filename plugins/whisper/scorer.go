package whisper

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// newTranscriptScorer returns a scorer of answers against the transcripts. As in the official script, every entry of
// the log counts, even if a sample has several.
func newTranscriptScorer(all clipSet, d accuracy.DType, exhibits int) (sdk.Scorer, error) {
	transcripts := make([]string, all.Len())
	for i := range transcripts {
		transcripts[i] = all.Transcript(i)
	}
	words, err := wer.NewWhisper(transcripts, wer.PayloadOptions{DType: d})
	if err != nil {
		return nil, sdk.Usage(err)
	}
	name := func(i int) string { return fmt.Sprintf("clip %d", i) }
	log := scoring.Log{
		Samples: all.Len(), Exhibits: exhibits, Gallery: exhibit.Transcripts(name, all.Transcript, words.Compare),
	}
	return scoring.New(words, log, makeScore), nil
}

// makeScore returns the score with the word error rate.
func makeScore(r wer.TranscriptResult, c scoring.Counts) (sdk.Score, error) {
	var n sdk.Notes
	n.AddCount(c.Repeated(), "%d entries are of samples that have another one: as in the official script, all count")
	n.AddMissing(c.Missing(), c.All, "clips", "the metrics are those")
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "accuracy", Unit: "%", Value: r.Accuracy()}, {Name: "WER", Unit: "%", Value: 100 * r.Rate()},
		},
		OfficialText: r.String(), Notes: n,
	}, nil
}
