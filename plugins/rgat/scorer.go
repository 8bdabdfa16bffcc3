package rgat

import (
	accuracy "github.com/plumbline-ml/plumbline/accuracy/rgat"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// makeScore returns the score. If a sample has several entries in the log, the first one counts.
func makeScore(r accuracy.ClassResult, c scoring.Counts) (sdk.Score, error) {
	n := c.Notes("samples", "the accuracy is that")
	n.AddCount(r.Bytes, "%d payloads were read as uint8: a class beyond 255 cannot be right")
	n.AddCount(r.Unread, "%d payloads hold no class and count as wrong; the official script stops there: %v",
		r.UnreadErrors)
	return sdk.Score{
		Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: r.Accuracy}}, OfficialText: r.String(), Notes: n,
	}, nil
}
