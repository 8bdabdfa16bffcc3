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

// test runs one LoadGen test and returns the payload of each sample that was issued.
func (v *visit) test(ctx context.Context, p *host.Plugin, m sdk.ModelInfo, s loadgen.Scenario, mode loadgen.Mode) (map[loadgen.SampleIndex][]byte, error) {
	ctx, cancel := p.Context(ctx)
	defer cancel()
	w, err := v.open(ctx, p, s)
	if err != nil {
		return nil, err
	}
	t, err := settings(m, s, mode)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r := newRecorder(w.SUT())
	_, err = loadgen.StartTest(ctx, r, w.QSL(), t, loadgen.LogSettings{OutDir: v.dir})
	if err == nil {
		err = errors.Join(r.faults...)
	}
	if n := w.Info().DatasetSize; err == nil && mode == loadgen.AccuracyOnly && len(r.payloads) != n {
		err = fmt.Errorf("%d samples were answered, the data set has %d", len(r.payloads), n)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("%v %v: %w", s, mode, err)
	}
	return r.payloads, nil
}

func scenarios(ctx context.Context, v *visit) (string, error) {
	p, m, err := v.start(ctx)
	if err != nil {
		return "", err
	}
	answered := 0
	for _, s := range m.Scenarios {
		payloads, err := v.test(ctx, p, m, s, loadgen.AccuracyOnly)
		if err != nil {
			return "", err
		}
		answered = len(payloads)
	}
	return fmt.Sprintf("%v: %d samples each", m.Scenarios, answered), nil
}

// modes compares the payloads of both modes in every scenario with those of the first accuracy run.
func modes(ctx context.Context, v *visit) (string, error) {
	p, m, err := v.start(ctx)
	if err != nil {
		return "", err
	}
	var first [][]byte
	var detail string
	for _, s := range m.Scenarios {
		for _, mode := range []loadgen.Mode{loadgen.AccuracyOnly, loadgen.PerformanceOnly} {
			payloads, err := v.test(ctx, p, m, s, mode)
			if err != nil {
				return "", err
			}
			if first == nil {
				if first, err = listed(payloads, len(payloads)); err != nil {
					return "", err
				}
			}
			if detail, err = v.agree(ctx, p, first, overlay(first, payloads)); err != nil {
				return "", fmt.Errorf("%v %v against %v accuracy: %w", s, mode, m.Scenarios[0], err)
			}
		}
	}
	return detail, nil
}

// overlay is base with the payloads of some samples replaced.
func overlay(base [][]byte, payloads map[loadgen.SampleIndex][]byte) [][]byte {
	list := slices.Clone(base)
	for i, data := range payloads {
		if int(i) < len(list) {
			list[i] = data
		}
	}
	return list
}

// determinism asks two processes the same.
func determinism(ctx context.Context, v *visit) (string, error) {
	var rounds [2][][]byte
	var c *client
	for i := range rounds {
		var err error
		if c, err = v.client(ctx); err != nil {
			return "", err
		}
		if rounds[i], err = c.ask(ctx, c.all()); err != nil {
			return "", err
		}
	}
	return v.agree(ctx, c.plugin, rounds[0], rounds[1])
}

// order asks for all samples in order, and in reverse.
func order(ctx context.Context, v *visit) (string, error) {
	return v.asked(ctx, func(ctx context.Context, c *client) ([][]byte, error) {
		reversed := c.all()
		slices.Reverse(reversed)
		answers, err := c.ask(ctx, reversed)
		slices.Reverse(answers)
		return answers, err
	})
}

// batches asks for all samples at once, and for each alone.
func batches(ctx context.Context, v *visit) (string, error) {
	return v.asked(ctx, func(ctx context.Context, c *client) ([][]byte, error) {
		var answers [][]byte
		for _, i := range c.all() {
			answer, err := c.ask(ctx, []loadgen.SampleIndex{i})
			if err != nil {
				return nil, err
			}
			answers = append(answers, answer[0])
		}
		return answers, nil
	})
}

// asked compares the answers to one query of all samples with those that again gets.
func (v *visit) asked(ctx context.Context, again func(context.Context, *client) ([][]byte, error)) (string, error) {
	c, err := v.client(ctx)
	if err != nil {
		return "", err
	}
	first, err := c.ask(ctx, c.all())
	if err != nil {
		return "", err
	}
	second, err := again(ctx, c)
	if err != nil {
		return "", err
	}
	return v.agree(ctx, c.plugin, first, second)
}

// accuracy scores the whole data set, and holds an embedded model to its card.
func accuracy(ctx context.Context, v *visit) (string, error) {
	v.subject.Open.Count = v.whole
	p, m, err := v.start(ctx)
	if err != nil {
		return "", err
	}
	payloads, err := v.test(ctx, p, m, mainScenario(m), loadgen.AccuracyOnly)
	if err != nil {
		return "", err
	}
	list, err := listed(payloads, len(payloads))
	if err != nil {
		return "", err
	}
	s, err := v.score(ctx, p, list)
	if err != nil {
		return "", err
	}
	if s.Samples != len(list) || len(s.Metrics) == 0 || s.OfficialText == "" {
		return "", fmt.Errorf("of %d answers %d were scored, %d metrics, official text %q", len(list), s.Samples, len(s.Metrics), s.OfficialText)
	}
	o := v.subject.Open
	if o.ModelFile != "" || o.Dataset != "" || o.Count != 0 {
		return metrics(s) + "; no reference applies to this model file or data set", nil
	}
	return metrics(s), cardFaults(s, m, o.Precision)
}

// cardShare is how much of what the embedded file's card says must be reached: another machine rounds otherwise.
const cardShare = 0.99

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
				faults = append(faults, fmt.Errorf("the score has no metric %q, which %s has in the description", want.Name, f.Name))
			case !(s.Metrics[i].Value >= cardShare*want.Value):
				faults = append(faults, fmt.Errorf("%s is %.5g %s, the description says %.5g for %s", want.Name, s.Metrics[i].Value, want.Unit, want.Value, f.Name))
			}
		}
	}
	return errors.Join(faults...)
}

// reference compares with the answers of another plugin or backend.
func reference(ctx context.Context, v *visit) (string, error) {
	r := v.subject.Reference
	if r == nil {
		return "", skip("no reference was named")
	}
	c, err := v.client(ctx)
	if err != nil {
		return "", err
	}
	own, err := c.ask(ctx, c.all())
	if err != nil {
		return "", err
	}
	other := *v
	other.subject.Open = r.Open
	other.subject.Open.Count = v.subject.Open.Count
	if r.Binary != "" {
		other.subject.Binary = r.Binary
	}
	them, err := other.client(ctx)
	v.plugins = other.plugins
	if err != nil {
		return "", fmt.Errorf("the reference: %w", err)
	}
	theirs, err := them.ask(ctx, them.all())
	if err != nil {
		return "", fmt.Errorf("the reference: %w", err)
	}
	if len(own) != len(theirs) {
		return "", fmt.Errorf("%d answers, the reference has %d", len(own), len(theirs))
	}
	return v.agree(ctx, c.plugin, theirs, own)
}
