package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// runTest runs one LoadGen test and returns the payload of each issued sample.
func (v *pluginVisit) runTest(
	ctx context.Context, p *host.Plugin, m sdk.ModelInfo, s loadgen.Scenario, mode loadgen.Mode,
) (map[loadgen.SampleIndex][]byte, error) {
	ctx, cancel := p.Context(ctx)
	defer cancel()
	w, err := v.openWorkload(ctx, p, s)
	if err != nil {
		return nil, err
	}
	t, err := testSettings(m, s, mode)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r := &recordingSUT{sut: w.SUT(), open: map[loadgen.ResponseID]loadgen.SampleIndex{},
		payloads: map[loadgen.SampleIndex][]byte{}}
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

func checkScenarios(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return "", err
	}
	for i, s := range m.Scenarios {
		start := time.Now()
		if i == 0 && v.wholeCount == 0 {
			v.subject.Open.Count = clampCount(minSamples, v.subject.Open.Dataset, m)
		}
		payloads, err := v.runTest(ctx, p, m, s, loadgen.AccuracyOnly)
		if err != nil {
			return "", err
		}
		if i == 0 && v.wholeCount == 0 {
			v.shared.samples = affordableSamples(time.Since(start), len(payloads))
			v.subject.Open.Count = clampCount(v.shared.samples, v.subject.Open.Dataset, m)
		}
	}
	return fmt.Sprintf("%v: each sample once", m.Scenarios), nil
}

// passTime is the maximum time of a pass over the samples in most checks.
const passTime = 10 * time.Second

// affordableSamples returns the number of samples that the checks use, given the time that n samples took.
func affordableSamples(took time.Duration, n int) int {
	if n == 0 || took <= 0 {
		return defaultSamples
	}
	return min(max(int(float64(n)*passTime.Seconds()/took.Seconds()), minSamples), defaultSamples)
}

// checkModes compares the payloads of both modes in every scenario with those of the first accuracy run.
func checkModes(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return "", err
	}
	var first [][]byte
	var detail string
	for _, s := range m.Scenarios {
		for _, mode := range []loadgen.Mode{loadgen.AccuracyOnly, loadgen.PerformanceOnly} {
			payloads, err := v.runTest(ctx, p, m, s, mode)
			if err != nil {
				return "", err
			}
			if first == nil {
				if first, err = payloadList(payloads, len(payloads)); err != nil {
					return "", err
				}
			}
			if detail, err = v.requireAgreement(ctx, p, first, overlayPayloads(first, payloads)); err != nil {
				return "", fmt.Errorf("%v %v against %v accuracy: %w", s, mode, m.Scenarios[0], err)
			}
		}
	}
	return detail, nil
}

// overlayPayloads returns base with the payloads of some samples replaced.
func overlayPayloads(base [][]byte, payloads map[loadgen.SampleIndex][]byte) [][]byte {
	list := slices.Clone(base)
	for i, data := range payloads {
		if int(i) < len(list) {
			list[i] = data
		}
	}
	return list
}

// checkDeterminism sends the same queries to two processes and compares the answers.
func checkDeterminism(ctx context.Context, v *pluginVisit) (string, error) {
	var rounds [2][][]byte
	var c *queryClient
	for i := range rounds {
		var err error
		if c, err = v.openClient(ctx); err != nil {
			return "", err
		}
		if rounds[i], err = c.runQuery(ctx, c.allSamples()); err != nil {
			return "", err
		}
	}
	return v.requireAgreement(ctx, c.plugin, rounds[0], rounds[1])
}

// checkOrder requests all samples in order and in reverse and compares the answers.
func checkOrder(ctx context.Context, v *pluginVisit) (string, error) {
	return v.compareAnswers(ctx, func(ctx context.Context, c *queryClient) ([][]byte, error) {
		reversed := c.allSamples()
		slices.Reverse(reversed)
		answers, err := c.runQuery(ctx, reversed)
		slices.Reverse(answers)
		return answers, err
	})
}

// checkOwnOrder requests the index of the first sample as often as there are samples, and compares the answers with
// those to the samples in the workload's order.
func checkOwnOrder(ctx context.Context, v *pluginVisit) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	order := c.workload.Info().Order
	if len(order) == 0 {
		return "it has none: samples are those that LoadGen draws", nil
	}
	left := map[loadgen.SampleIndex]bool{}
	for _, i := range c.allSamples() {
		left[i] = true
	}
	asked := make([]loadgen.SampleIndex, len(order))
	for k, i := range order {
		asked[k] = loadgen.SampleIndex(i)
		delete(left, asked[k])
	}
	if len(left) > 0 {
		return "", fmt.Errorf("its order leaves out %d of %d samples, want each at least once", len(left), c.size)
	}
	direct, err := c.runQuery(ctx, asked)
	if err = errors.Join(err, c.workload.Close()); err != nil {
		return "", err
	}
	w, err := v.openOrdered(ctx, c.plugin, mainScenario(c.model))
	if err != nil {
		return "", err
	}
	c = newClient(c.plugin, w)
	if err := w.QSL().LoadSamplesToRAM(ctx, c.allSamples()); err != nil {
		return "", err
	}
	handed, err := c.runQuery(ctx, make([]loadgen.SampleIndex, len(order)))
	if err != nil {
		return "", err
	}
	return v.requireAgreement(ctx, c.plugin, direct, handed)
}

// checkBatches requests all samples at once, then each alone, and compares the answers.
func checkBatches(ctx context.Context, v *pluginVisit) (string, error) {
	return v.compareAnswers(ctx, func(ctx context.Context, c *queryClient) ([][]byte, error) {
		var answers [][]byte
		for _, i := range c.allSamples() {
			answer, err := c.runQuery(ctx, []loadgen.SampleIndex{i})
			if err != nil {
				return nil, err
			}
			answers = append(answers, answer[0])
		}
		return answers, nil
	})
}

// compareAnswers compares the answers to one query of all samples with the answers that again returns.
func (v *pluginVisit) compareAnswers(ctx context.Context, again func(context.Context, *queryClient) ([][]byte,
	error)) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	first, err := c.runQuery(ctx, c.allSamples())
	if err != nil {
		return "", err
	}
	second, err := again(ctx, c)
	if err != nil {
		return "", err
	}
	return v.requireAgreement(ctx, c.plugin, first, second)
}
