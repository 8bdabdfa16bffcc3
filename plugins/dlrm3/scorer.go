package dlrm3

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/entropy"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// Names of the metrics.
const (
	normalizedEntropyMetric = "NE"
	accuracyMetric          = "accuracy"
	groupedAUCMetric        = "GAUC"
)

// entropyScorer reports the metrics of the official script. Every entry of the log counts, independent of its index.
type entropyScorer struct {
	entropy.RequestScorer
	requiredEntropy float64 // the submission checker's threshold of the normalized entropy; 0: none for this data set

	// requests of the data set that have not occurred in the log so far; nil: no data set is named
	missing    map[requestID]bool
	requests   int // number of requests in the data set
	duplicates int // number of entries whose request has occurred before or is not in the data set
}

// expectRequests makes a scorer count the requests of the data set.
func (s streamSource) expectRequests(scorer *entropyScorer) error {
	set, err := s.openSet()
	if set == nil || err != nil {
		return err
	}
	o, err := s.orderRequests(set, sdk.UseAccuracy)
	scorer.missing, scorer.requests = map[requestID]bool{}, len(o.requests)
	for _, p := range o.requests {
		scorer.missing[p] = true
	}
	scorer.requiredEntropy = s.referenceValue(normalizedEntropyMetric) * checkerShare
	return errors.Join(err, set.Close())
}

// checkerShare is the share of the reference's figures that the submission checker requires. It applies this minimum
// even to the normalized entropy, where lower is better.
const checkerShare = 0.999

// referenceValue returns the model's reference value of a metric.
func (s streamSource) referenceValue(metric string) float64 {
	for _, m := range s.Model.Metrics {
		if m.Name == metric {
			return m.Reference
		}
	}
	return 0
}

// Add counts an answer. It ignores the sample's index, because the answer names its request.
func (s *entropyScorer) Add(_ uint64, answer []byte) error {
	if err := s.RequestScorer.Add(answer); err != nil {
		return err
	}
	if p := parseRequestID(answer); s.missing[p] {
		delete(s.missing, p)
	} else {
		s.duplicates++
	}
	return nil
}

// parseRequestID returns the request that a payload names.
func parseRequestID(payload []byte) requestID {
	at := func(i int) int32 { return int32(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))) }
	return requestID{at(0), at(1)}
}

// Result returns the metrics of the official script.
func (s *entropyScorer) Result() (entropy.RequestResult, error) { return s.RequestScorer.Result(), nil }

func (s *entropyScorer) scoreEntropy(r entropy.RequestResult, _ scoring.Counts) (sdk.Score, error) {
	score := sdk.Score{
		Samples: r.Requests, OfficialText: r.Text(), Notes: s.scoreNotes(r),
		Metrics: []sdk.Metric{
			{Name: normalizedEntropyMetric, Value: r.Entropy}, {Name: accuracyMetric, Unit: "%", Value: 100 * r.Accuracy},
			{Name: groupedAUCMetric, Unit: "%", Value: 100 * r.GAUC},
		},
	}
	if math.IsNaN(r.Entropy) {
		return sdk.Score{}, sdk.Data(fmt.Errorf("the normalized entropy is no number: %d of %d requests have predictions "+
			"that are none, %d have no candidates", r.Odd.NaN, r.Requests, r.Odd.Empty))
	}
	return score, nil
}

func (s *entropyScorer) scoreNotes(r entropy.RequestResult) []string {
	var n sdk.Notes
	n.Add("normalized entropy (NE) is better when lower: 1 is that of who answers the share of likes for every candidate")
	if s.requiredEntropy > 0 && r.Entropy < s.requiredEntropy {
		n.Add("the submission checker takes NE as better when higher, and wants %.8f at least: it refuses this log, whose "+
			"model is better than the reference", s.requiredEntropy)
	}
	if s.missing != nil {
		n.AddMissing(len(s.missing), s.requests, "requests", "the metrics are those")
		n.AddCount(s.duplicates,
			"%d entries are of requests that were in the log before, or that the data set does not have, "+
				"and "+
				"count as well, as in the official script")
	}
	n.AddCount(r.Odd.Ties,
		"of %d requests the area under the curve depends on the order of equal predictions: GAUC may be "+
			"%.6f %% to %.6f %%, by the machine on which the official script runs; here they stay as they are", 100*r.MinGAUC,
		100*r.MaxGAUC)
	n.AddCount(r.Requests-r.Grouped, "%d requests have no area under the curve: all their labels are alike, or all "+
		"predictions are the first one's or 0; GAUC is that of the others")
	n.AddCount(r.Odd.Empty, "%d requests have no candidates")
	n.AddCount(r.Odd.Labels, "%d requests have labels other than 0 and 1, which count as the numbers that they are")
	return n
}
