package conformance

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// Tolerances for payloads. If batches are computed by other kernels, the last bits of floats may differ, and with them
// a few pixels of a volume. The answers must be the same.
const (
	floatTolerance = 1e-3 // of float32 values: absolute, and as a share
	byteTolerance  = 0.01 // share of differing bytes in payloads of other types
	scoreTolerance = 1e-3 // of the metrics of the same samples, as a share
)

// payloadDiff describes how two lists of payloads differ.
type payloadDiff struct {
	count, total   int
	first          int     // index of the first differing payload
	outOfTolerance int     // number of payloads that differ by more than a tolerance
	largest        float64 // largest difference of float32 values; NaN for payloads of other types
	bytes          float64 // largest share of a payload's bytes that differ, for other types
	lengths        int     // number of payloads whose lengths differ
}

// comparePayloads compares two lists of payloads of the same length.
func comparePayloads(a, b [][]byte) payloadDiff {
	d := payloadDiff{total: len(a), first: -1}
	for i := range a {
		if bytes.Equal(a[i], b[i]) {
			continue
		}
		if d.count == 0 {
			d.first = i
		}
		d.count++
		d.addPair(a[i], b[i])
	}
	return d
}

// addPair records two payloads that differ.
func (d *payloadDiff) addPair(a, b []byte) {
	if len(a) != len(b) {
		d.largest, d.lengths, d.outOfTolerance = math.NaN(), d.lengths+1, d.outOfTolerance+1
		return
	}
	var near bool
	if x, y, ok := readFloats(a, b); ok {
		var largest float64
		largest, near = floatDistance(x, y)
		d.largest = max(d.largest, largest) // NaN stays NaN
	} else {
		share := byteDistance(a, b)
		d.largest, d.bytes, near = math.NaN(), max(d.bytes, share), share <= byteTolerance
	}
	if !near {
		d.outOfTolerance++
	}
}

// floatDistance returns the largest difference of two vectors, and whether all differences are within the tolerance.
func floatDistance(x, y []float32) (largest float64, near bool) {
	near = true
	for i := range x {
		d := math.Abs(float64(x[i]) - float64(y[i]))
		largest, near = max(largest, d), near && d <= floatTolerance*(1+math.Abs(float64(x[i])))
	}
	return largest, near
}

// byteDistance returns the share of differing bytes.
func byteDistance(a, b []byte) float64 {
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return float64(differ) / float64(len(a))
}

// readFloats converts two payloads to float32 values. ok is false if they do not look like floats.
func readFloats(a, b []byte) (x, y []float32, ok bool) {
	if len(a)%4 != 0 {
		return nil, nil, false
	}
	x, y = backend.View[float32](bytes.Clone(a)), backend.View[float32](bytes.Clone(b))
	for i := range x {
		if !isPlausibleFloat(x[i]) || !isPlausibleFloat(y[i]) {
			return nil, nil, false
		}
	}
	return x, y, true
}

// isPlausibleFloat distinguishes floats from whole numbers that are read as floats.
func isPlausibleFloat(v float32) bool {
	m := math.Abs(float64(v))
	return m == 0 || m > 1e-20 && m < 1e20
}

func (d payloadDiff) String() string {
	if d.count == 0 {
		return fmt.Sprintf("%d payloads are equal, byte for byte", d.total)
	}
	text := fmt.Sprintf("%d of %d payloads differ, the first of them that of sample %d", d.count, d.total, d.first)
	if !math.IsNaN(d.largest) {
		text += fmt.Sprintf(", float32 values by up to %.2g", d.largest)
	}
	if d.bytes > 0 {
		text += fmt.Sprintf(", up to %.2g %% of a payload's bytes", 100*d.bytes)
	}
	if d.lengths > 0 {
		text += fmt.Sprintf(", %d of them in length", d.lengths)
	}
	return text
}

// requireAgreement compares two lists of payloads of the first samples of the data set. They may differ only by
// rounding and must have the same score.
func (v *pluginVisit) requireAgreement(ctx context.Context, p *host.Plugin, a, b [][]byte) (string, error) {
	if len(a) != len(b) {
		return "", fmt.Errorf("%d payloads, then %d: want as many of the same data set", len(a), len(b))
	}
	d := comparePayloads(a, b)
	if d.count == 0 {
		return d.String(), nil
	}
	if d.outOfTolerance > 0 {
		return "", fmt.Errorf("%v: %d of them by more than rounding", d, d.outOfTolerance)
	}
	before, err := v.scorePayloads(ctx, p, a)
	if err != nil {
		return "", fmt.Errorf("%v; scoring them: %w", d, err)
	}
	after, err := v.scorePayloads(ctx, p, b)
	if err != nil {
		return "", fmt.Errorf("%v; scoring them: %w", d, err)
	}
	if err := requireSameScores(before, after); err != nil {
		return "", fmt.Errorf("%v; %w", d, err)
	}
	return fmt.Sprintf("%v; both score %s", d, scoreText(before)), nil
}

// requireSameScores requires the same metrics, with values that differ only by rounding.
func requireSameScores(a, b sdk.Score) error {
	if len(a.Metrics) != len(b.Metrics) {
		return fmt.Errorf("they score %s, and %s: want the same metrics", scoreText(a), scoreText(b))
	}
	for i, m := range a.Metrics {
		n := b.Metrics[i]
		if m.Name != n.Name || !(math.Abs(m.Value-n.Value) <= scoreTolerance*math.Abs(m.Value)) {
			return fmt.Errorf("they score %s = %v and %s = %v, want the same", m.Name, m.Value, n.Name, n.Value)
		}
	}
	return nil
}

// scorePayloads scores payloads of the first samples of the data set like a harness.
func (v *pluginVisit) scorePayloads(ctx context.Context, p *host.Plugin, payloads [][]byte) (sdk.Score, error) {
	entries := make([]mllog.AccuracyEntry, len(payloads))
	for i, data := range payloads {
		entries[i] = mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: data, TokenCount: -1}
	}
	return v.scoreEntries(ctx, p, entries)
}

func (v *pluginVisit) scoreEntries(ctx context.Context, p *host.Plugin, entries []mllog.AccuracyEntry) (sdk.Score,
	error) {
	o := v.subject.Open
	s, err := p.OpenScorer(ctx, sdk.ScoreOptions{
		Model: o.Model, Dataset: o.Dataset, Count: o.Count, Params: o.Params, PartFiles: v.subject.ScorerFiles,
	})
	if err != nil {
		return sdk.Score{}, err
	}
	for _, e := range entries {
		if err := s.Add(e); err != nil {
			return sdk.Score{}, err
		}
	}
	return s.Result()
}

// scoreText formats a score: "accuracy 97.1 %".
func scoreText(s sdk.Score) string {
	texts := make([]string, len(s.Metrics))
	for i, m := range s.Metrics {
		texts[i] = strings.TrimSpace(fmt.Sprintf("%s %.5g %s", m.Name, m.Value, m.Unit))
	}
	return strings.Join(texts, ", ")
}

// payloadList converts payloads by sample to a list. Every sample must have one.
func payloadList(payloads map[loadgen.SampleIndex][]byte, size int) ([][]byte, error) {
	list := make([][]byte, size)
	for i := range list {
		data, ok := payloads[loadgen.SampleIndex(i)]
		if !ok {
			return nil, fmt.Errorf("sample %d of %d was not answered", i, size)
		}
		list[i] = data
	}
	return list, nil
}
