package audit

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

var int32Type = evidence.DType{Name: "int32", Size: 4}

// judgeTest09 judges the mean length of answers in performance mode.
func (j *auditJudge) judgeTest09(ctx context.Context) (Verdict, error) {
	least, most, err := j.lengthBounds()
	if err != nil {
		return Verdict{}, err
	}
	j.readLogs(false)
	if j.request.PerformanceOnly {
		return j.joinVerdict(nil), nil
	}
	var lengths []int
	p := j.newPayloadFaults(j.request.Run.Accuracy)
	j.checkEverySample(ctx, p, int32Type, func(e mllog.AccuracyEntry) { lengths = append(lengths, len(e.Data)/4) })
	if len(lengths) == 0 {
		return j.joinVerdict(map[string]string{tree.VerifyOutputLength: ""}), ctx.Err()
	}
	judged := evidence.JudgeLengths(lengths, least, most)
	if !judged.Pass {
		j.addReason(&j.accuracyReasons, Reason{Check: "length", File: j.request.Run.Accuracy,
			Found: fmt.Sprintf("a mean of %.2f tokens", judged.Mean), Want: fmt.Sprintf("%g to %g", least, most),
			Advice: "answer in performance mode as in accuracy mode: no shorter, no padding"})
	}
	return j.joinVerdict(map[string]string{tree.VerifyOutputLength: judged.File}), ctx.Err()
}

// lengthBounds returns the limits from the request, an audit.config or the round.
func (j *auditJudge) lengthBounds() (least, most float64, err error) {
	found := map[string]float64{}
	if j.request.AuditConfig != "" {
		if found, err = j.readBounds(evidence.MinTokensKey, evidence.MaxTokensKey); err != nil {
			return 0, 0, err
		}
	}
	own := Config{}
	if j.config != nil {
		own = *j.config
	}
	least, ok := lengthBound(j.request.MinTokens, found, evidence.MinTokensKey, own.MinTokens)
	most, ok2 := lengthBound(j.request.MaxTokens, found, evidence.MaxTokensKey, own.MaxTokens)
	if !ok || !ok2 {
		return 0, 0, fmt.Errorf("%w: the bounds of TEST09 are not known: name the model, or give both "+
			"(--min-output-tokens, --max-output-tokens)", ErrRequest)
	}
	if own.MinTokens != 0 && (least < own.MinTokens || most > own.MaxTokens) {
		j.addReason(&j.accuracyReasons, Reason{Check: "bounds", File: j.request.AuditConfig,
			Found: fmt.Sprintf("bounds of %g to %g", least, most),
			Want:  fmt.Sprintf("%g to %g", own.MinTokens, own.MaxTokens), Advice: "leave them out: the round's count"})
	}
	return least, most, nil
}

func lengthBound(given *float64, found map[string]float64, key string, own float64) (float64, bool) {
	if given != nil {
		return *given, true
	}
	if v, ok := found[key]; ok {
		return v, true
	}
	return own, own != 0
}
