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

// answers asks for the whole data set in the main scenario: the plugin that answered, its model, and the payload of
// each sample.
func (v *visit) answers(ctx context.Context) (*host.Plugin, sdk.ModelInfo, [][]byte, error) {
	v.subject.Open.Count = v.whole
	p, m, err := v.start(ctx)
	if err != nil {
		return nil, sdk.ModelInfo{}, nil, err
	}
	payloads, err := v.test(ctx, p, m, mainScenario(m), loadgen.AccuracyOnly)
	if err != nil {
		return nil, sdk.ModelInfo{}, nil, err
	}
	list, err := listed(payloads, len(payloads))
	return p, m, list, err
}

// accuracy scores the whole data set, and holds an embedded model to its card.
func accuracy(ctx context.Context, v *visit) (string, error) {
	p, m, list, err := v.answers(ctx)
	if err != nil {
		return "", err
	}
	v.known.whole = list
	s, err := v.score(ctx, p, list)
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
		return metrics(s) + "; no reference applies to this model file or data set", nil
	}
	return metrics(s), cardFaults(s, m, o.Precision)
}

// unknownMetrics names what is scored and not described.
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

// cardShare is how much of what the embedded file's card says must be reached, and how much of what was measured the
// card must say: another machine rounds otherwise.
const cardShare = 0.99

// worse reports whether got is worse than what is wanted by more than the share that is allowed; a figure of neither
// way may be neither more nor less.
func worse(got, want float64, better sdk.Better) bool {
	low, high := !(got >= cardShare*want), !(want >= cardShare*got)
	switch better {
	case sdk.LowerBetter:
		return high
	case sdk.NeitherBetter:
		return low || high
	}
	return low
}

// side is where a figure lies that is too far from another one.
func side(of, from float64) string {
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
				continue // of another model that the file stands in for
			}
			i := slices.IndexFunc(s.Metrics, func(x sdk.Metric) bool { return x.Name == want.Name })
			switch {
			case i < 0:
				faults = append(faults, fmt.Errorf("the score has no metric %q, which %s has in the description", want.Name,
					f.Name))
			case worse(s.Metrics[i].Value, want.Value, m.Better(want.Name)):
				faults = append(faults, fmt.Errorf("%s is %.5g %s, the description says %.5g for %s: the score is too %s, or "+
					"the card too %s", want.Name, s.Metrics[i].Value, want.Unit, want.Value, f.Name,
					side(s.Metrics[i].Value, want.Value), side(want.Value, s.Metrics[i].Value)))
			case worse(want.Value, s.Metrics[i].Value, m.Better(want.Name)):
				faults = append(faults, fmt.Errorf("%s is %.5g %s, the description says %.5g for %s: the card is too %s, and "+
					"99 %% of it is no target", want.Name, s.Metrics[i].Value, want.Unit, want.Value, f.Name,
					side(want.Value, s.Metrics[i].Value)))
			}
		}
	}
	return errors.Join(faults...)
}

// reference scores the answers of another plugin or backend to the same samples. Outputs may differ as far as the score
// bears it: a device rounds otherwise, and may be less precise.
func reference(ctx context.Context, v *visit) (string, error) {
	if v.subject.Reference == nil {
		return "", skip("no reference was named")
	}
	own := v.known.whole
	if own == nil {
		var err error
		if _, _, own, err = v.answers(ctx); err != nil {
			return "", err
		}
	}
	other := v.of(*v.subject.Reference)
	p, m, theirs, err := other.answers(ctx)
	v.plugins = other.plugins
	if err != nil {
		return "", fmt.Errorf("the reference: %w", err)
	}
	if len(own) != len(theirs) {
		return "", fmt.Errorf("%d answers, the reference has %d", len(own), len(theirs))
	}
	d := compare(theirs, own)
	want, err := other.score(ctx, p, theirs)
	if err != nil {
		return "", fmt.Errorf("the reference: %w", err)
	}
	got, err := other.score(ctx, p, own)
	if err != nil {
		return "", fmt.Errorf("%v; scoring them: %w", d, err)
	}
	found := fmt.Sprintf("%s, the reference %s; %v", metrics(got), metrics(want), d)
	if short := shortfalls(got, want, m.Better); len(short) > 0 {
		return "", fmt.Errorf("%s; want at most %g %% worse than the reference: %w", found,
			100*(1-cardShare), errors.Join(short...))
	}
	return found, nil
}

// of is a visit to the reference.
func (v *visit) of(r Reference) *visit {
	other := *v
	other.subject.Open = r.Open
	if r.Binary != "" {
		other.subject.Binary = r.Binary
	}
	return &other
}

// shortfalls names the metrics of a score that miss the reference's by more than the share that is allowed.
func shortfalls(got, want sdk.Score, better func(metric string) sdk.Better) (faults []error) {
	for _, w := range want.Metrics {
		i := slices.IndexFunc(got.Metrics, func(m sdk.Metric) bool { return m.Name == w.Name })
		switch {
		case i < 0:
			faults = append(faults, fmt.Errorf("%s is missing", w.Name))
		case worse(got.Metrics[i].Value, w.Value, better(w.Name)):
			faults = append(faults, fmt.Errorf("%s is too %s", w.Name, side(got.Metrics[i].Value, w.Value)))
		}
	}
	return faults
}
