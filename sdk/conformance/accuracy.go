package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// answerAll requests the whole data set in the main scenario. It returns the plugin that answered, its model, and the
// payload of each sample.
func (v *pluginVisit) answerAll(ctx context.Context) (*host.Plugin, sdk.ModelInfo, [][]byte, error) {
	v.subject.Open.Count = v.wholeCount
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return nil, sdk.ModelInfo{}, nil, err
	}
	payloads, err := v.runTest(ctx, p, m, mainScenario(m), loadgen.AccuracyOnly)
	if err != nil {
		return nil, sdk.ModelInfo{}, nil, err
	}
	list, err := payloadList(payloads, len(payloads))
	return p, m, list, err
}

// checkAccuracy scores the whole data set, and compares the score of an embedded model with its card.
func checkAccuracy(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, list, err := v.answerAll(ctx)
	if err != nil {
		return "", err
	}
	v.shared.wholeAnswers = list
	s, err := v.scorePayloads(ctx, p, list)
	if err != nil {
		return "", err
	}
	if s.Samples != len(list) || len(s.Metrics) == 0 || s.OfficialText == "" {
		return "", fmt.Errorf("of %d answers %d were scored, %d metrics, official text %q", len(list), s.Samples,
			len(s.Metrics), s.OfficialText)
	}
	if err := unknownMetrics(s, m); err != nil {
		return "", err
	}
	o := v.subject.Open
	if o.ModelFile != "" || len(o.PartFiles) > 0 || o.Dataset != "" || o.Count != 0 {
		return scoreText(s) + "; no reference applies to this model file or data set", nil
	}
	return scoreText(s), cardFaults(s, m, o.Precision)
}

// unknownMetrics returns an error that names the scored metrics without a description.
func unknownMetrics(s sdk.Score, m sdk.ModelInfo) error {
	var faults []error
	for _, x := range s.Metrics {
		if m.Better(x.Name) == "" {
			faults = append(faults, fmt.Errorf("the score has the metric %q, which the description of %s does not list: nobody "+
				"can tell which way it improves; list it, without a target where it has none", x.Name, m.Name))
		}
	}
	return errors.Join(faults...)
}

// cardShare is the allowed ratio between measured and documented figures in both directions, because other machines
// round differently.
const cardShare = 0.99

// isWorse reports whether got is worse than want by more than the allowed share. If better is neither, got may be
// neither larger nor smaller.
func isWorse(got, want float64, better sdk.MetricDirection) bool {
	low, high := !(got >= cardShare*want), !(want >= cardShare*got)
	switch better {
	case sdk.LowerBetter:
		return high
	case sdk.NeitherBetter:
		return low || high
	}
	return low
}

// deviationSide returns "high" if of is larger than from, otherwise "low".
func deviationSide(of, from float64) string {
	if of > from {
		return "high"
	}
	return "low"
}

func cardFaults(s sdk.Score, m sdk.ModelInfo, precision string) error {
	var faults []error
	for _, f := range m.Files {
		if !f.Embedded || f.Precision != precision && (precision != "" || f.Precision != "fp32") {
			continue
		}
		for _, want := range f.Reference {
			if !slices.ContainsFunc(m.Metrics, func(x sdk.MetricInfo) bool { return x.Name == want.Name }) {
				continue // of another model that the file replaces
			}
			i := slices.IndexFunc(s.Metrics, func(x sdk.Metric) bool { return x.Name == want.Name })
			switch {
			case i < 0:
				faults = append(faults, fmt.Errorf("the score has no metric %q, which %s has in the description", want.Name,
					f.Name))
			case isWorse(s.Metrics[i].Value, want.Value, m.Better(want.Name)):
				faults = append(faults, fmt.Errorf("%s is %.5g %s, the description says %.5g for %s: the score is too %s, or "+
					"the card too %s", want.Name, s.Metrics[i].Value, want.Unit, want.Value, f.Name,
					deviationSide(s.Metrics[i].Value, want.Value), deviationSide(want.Value, s.Metrics[i].Value)))
			case isWorse(want.Value, s.Metrics[i].Value, m.Better(want.Name)):
				faults = append(faults, fmt.Errorf("%s is %.5g %s, the description says %.5g for %s: the card is too %s, and "+
					"99 %% of it is no target", want.Name, s.Metrics[i].Value, want.Unit, want.Value, f.Name,
					deviationSide(want.Value, s.Metrics[i].Value)))
			}
		}
	}
	return errors.Join(faults...)
}

// checkReference compares the answers of another plugin or backend to the same samples. Outputs may differ as far as
// the scores allow, because a device rounds differently and may be less precise.
func checkReference(ctx context.Context, v *pluginVisit) (string, error) {
	if v.subject.Reference == nil {
		return "", skipCheck("no reference was named")
	}
	own := v.shared.wholeAnswers
	if own == nil {
		var err error
		if _, _, own, err = v.answerAll(ctx); err != nil {
			return "", err
		}
	}
	other := v.visitReference(*v.subject.Reference)
	p, m, theirs, err := other.answerAll(ctx)
	v.plugins = other.plugins
	if err != nil {
		return "", fmt.Errorf("the reference: %w", err)
	}
	if len(own) != len(theirs) {
		return "", fmt.Errorf("%d answers, the reference has %d", len(own), len(theirs))
	}
	d := comparePayloads(theirs, own)
	want, err := other.scorePayloads(ctx, p, theirs)
	if err != nil {
		return "", fmt.Errorf("the reference: %w", err)
	}
	got, err := other.scorePayloads(ctx, p, own)
	if err != nil {
		return "", fmt.Errorf("%v; scoring them: %w", d, err)
	}
	found := fmt.Sprintf("%s, the reference %s; %v", scoreText(got), scoreText(want), d)
	if short := metricShortfalls(got, want, m.Better); len(short) > 0 {
		return "", fmt.Errorf("%s; want at most %g %% worse than the reference: %w", found,
			100*(1-cardShare), errors.Join(short...))
	}
	return found, nil
}

// visitReference returns a visit to the reference.
func (v *pluginVisit) visitReference(r ReferencePlugin) *pluginVisit {
	other := *v
	other.subject.Open = r.Open
	if r.Binary != "" {
		other.subject.Binary = r.Binary
	}
	return &other
}

// metricShortfalls returns an error for each metric that misses the reference's by more than the allowed share.
func metricShortfalls(got, want sdk.Score, better func(metric string) sdk.MetricDirection) (faults []error) {
	for _, w := range want.Metrics {
		i := slices.IndexFunc(got.Metrics, func(m sdk.Metric) bool { return m.Name == w.Name })
		switch {
		case i < 0:
			faults = append(faults, fmt.Errorf("%s is missing", w.Name))
		case isWorse(got.Metrics[i].Value, w.Value, better(w.Name)):
			faults = append(faults, fmt.Errorf("%s is too %s", w.Name, deviationSide(got.Metrics[i].Value, w.Value)))
		}
	}
	return faults
}
