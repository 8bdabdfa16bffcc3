package rnnt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// newTranscriptScorer returns a scorer of answers against the transcripts. Every entry of a log counts.
func newTranscriptScorer(set clipSet, dtype accuracy.DType, exhibits int) (sdk.Scorer, error) {
	references := make([]string, set.Len())
	for i := range references {
		text, err := wer.CleanTranscript(set.Transcript(i))
		if err != nil {
			return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, set.Name(i), err))
		}
		references[i] = text
	}
	words, err := wer.NewRNNT(references, wer.PayloadOptions{DType: dtype})
	if err != nil {
		return nil, sdk.Usage(err)
	}
	log := scoring.Log{
		Samples: len(references), Exhibits: exhibits, Gallery: exhibit.Transcripts(set.Name, set.Transcript, words.Compare),
	}
	return scoring.New(words, log, makeScore), nil
}

// makeScore returns the score with the word error rate.
func makeScore(r wer.TranscriptResult, c scoring.Counts) (sdk.Score, error) {
	var n sdk.Notes
	n.AddMissing(c.Missing(), c.All, "clips", "the rate is that")
	n.AddCount(c.Repeated(), "%d entries are of clips that the log has already; as in the official script, each counts")
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "accuracy", Unit: "%", Value: r.Accuracy()}, {Name: "WER", Unit: "%", Value: 100 * r.Rate()},
		},
		OfficialText: r.String(), Notes: n,
	}, nil
}
