package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// beyond is the index of a sample that no data set has.
const beyond = 1<<32 - 2

// payloads scores the answers to a few samples, and then payloads that no answer may have.
func payloads(ctx context.Context, v *visit) (string, error) {
	c, err := v.client(ctx)
	if err != nil {
		return "", err
	}
	answers, err := c.ask(ctx, c.all())
	if err != nil {
		return "", err
	}
	if _, err := v.score(ctx, c.plugin, answers); err != nil {
		return "", fmt.Errorf("its own scorer refuses its payloads: %w", err)
	}
	var faults []error
	smallest, largest := len(answers[0]), 0
	for i, data := range answers {
		smallest, largest = min(smallest, len(data)), max(largest, len(data))
		if len(data) == 0 {
			continue
		}
		if err := v.accepts(ctx, c.plugin, uint64(i), data[:len(data)-1]); err == nil {
			faults = append(faults, fmt.Errorf("the scorer takes the payload of sample %d without its last byte, want an error", i))
			break
		}
	}
	if err := v.accepts(ctx, c.plugin, beyond, answers[0]); err == nil {
		faults = append(faults, fmt.Errorf("the scorer takes an answer for sample %d, which no data set has, want an error", uint64(beyond)))
	}
	return fmt.Sprintf("of %s; the scorer refuses a byte less, and samples that do not exist", sizes(smallest, largest)), errors.Join(faults...)
}

func sizes(smallest, largest int) string {
	if smallest == largest {
		return fmt.Sprintf("%d bytes", largest)
	}
	return fmt.Sprintf("%d to %d bytes", smallest, largest)
}

// accepts returns the scorer's error for one entry of an accuracy log.
func (v *visit) accepts(ctx context.Context, p *host.Plugin, index uint64, data []byte) error {
	_, err := v.scoreEntries(ctx, p, []mllog.AccuracyEntry{{QSLIndex: index, Data: data, TokenCount: -1}})
	return err
}
