package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// unknownIndex is a sample index that no data set has.
const unknownIndex = 1<<32 - 2

// checkPayloads scores the answers to a few samples, and then payloads that are invalid as answers.
func checkPayloads(ctx context.Context, v *pluginVisit) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	answers, err := c.runQuery(ctx, c.allSamples())
	if err != nil {
		return "", err
	}
	if _, err := v.scorePayloads(ctx, c.plugin, answers); err != nil {
		return "", fmt.Errorf("its own scorer refuses its payloads: %w", err)
	}
	if areTexts(answers) {
		return v.checkDamagedText(ctx, c.plugin, answers)
	}
	smallest, largest := len(answers[0]), 0
	for i, data := range answers {
		smallest, largest = min(smallest, len(data)), max(largest, len(data))
		if len(data) > 0 && v.scorerAccepts(ctx, c.plugin, uint64(i), data[:len(data)-1]) {
			return "", fmt.Errorf("the scorer takes the payload of sample %d without its last byte, want an error", i)
		}
	}
	found := fmt.Sprintf("of %s; the scorer refuses a byte less", sizeRange(smallest, largest))
	// the index may be irrelevant if the payload contains the expected answer
	if v.scorerAccepts(ctx, c.plugin, unknownIndex, answers[0]) {
		return found + ", and does not look at the index", nil
	}
	return found + ", and a sample that does not exist", nil
}

// areTexts reports whether payloads are text. Any beginning of a text is also a valid text.
func areTexts(answers [][]byte) bool {
	some := false
	for _, data := range answers {
		if !utf8.Valid(data) || bytes.ContainsFunc(data, unicode.IsControl) {
			return false
		}
		some = some || len(data) > 0
	}
	return some
}

// checkDamagedText scores texts with an invalid byte at the end. The scorer must refuse them or give them a lower
// score.
func (v *pluginVisit) checkDamagedText(ctx context.Context, p *host.Plugin, answers [][]byte) (string, error) {
	whole, err := v.scorePayloads(ctx, p, answers)
	if err != nil {
		return "", err
	}
	damaged := make([][]byte, len(answers))
	for i, data := range answers {
		damaged[i] = append(bytes.Clone(data), 0xff)
	}
	less, err := v.scorePayloads(ctx, p, damaged)
	if err == nil && slices.Equal(whole.Metrics, less.Metrics) {
		return "", errors.New("the scorer takes texts with a byte behind them that is not UTF-8 as if they were whole, " +
			"want an error or another score")
	}
	if err != nil {
		return "of text; the scorer refuses bytes that are not UTF-8", nil
	}
	return fmt.Sprintf("of text; with bytes that are not UTF-8 it scores %s, in place of %s", scoreText(less),
		scoreText(whole)), nil
}

func sizeRange(smallest, largest int) string {
	if smallest == largest {
		return fmt.Sprintf("%d bytes", largest)
	}
	return fmt.Sprintf("%d to %d bytes", smallest, largest)
}

// scorerAccepts reports whether the scorer accepts one entry of an accuracy log.
func (v *pluginVisit) scorerAccepts(ctx context.Context, p *host.Plugin, index uint64, data []byte) bool {
	_, err := v.scoreEntries(ctx, p, []mllog.AccuracyEntry{{QSLIndex: index, Data: data, TokenCount: -1}})
	return err == nil
}
