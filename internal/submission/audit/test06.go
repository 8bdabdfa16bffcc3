package audit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// judgeTest06 judges the consistency of token answers. The first token must be the one that was reported first. An
// answer may contain one end token, and its length must equal the reported count.
func (j *auditJudge) judgeTest06(ctx context.Context) (Verdict, error) {
	eos := []float64{2}
	if j.request.EOS != "" {
		eos = eos[:0]
		for part := range strings.SplitSeq(j.request.EOS, ",") {
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil {
				return Verdict{}, fmt.Errorf("%w: the end token %q, want a number, or several with commas between them", ErrRequest,
					part)
			}
			eos = append(eos, float64(n))
		}
		j.addNotef("An answer ends with one of the tokens %s.", j.request.EOS)
	}
	j.readLogs(false)
	if j.scenario == "" && j.request.Scenario == "" {
		return Verdict{}, fmt.Errorf("%w: the scenario is not known, and no log says it: name it", ErrRequest)
	}
	c := tokenConsistency{dtype: j.dtype, eos: eos, streams: j.scenario != "Offline",
		payloads: j.newPayloadFaults(j.request.Run.Accuracy)}
	j.checkSampleCount(j.readAnswers(ctx, j.request.Run.Accuracy, auditLogName, c.addAnswer))
	c.judgeAnswers(j)
	first := evidence.BoolText(c.otherFirst.n == 0 && c.unreportedFirst.n == 0)
	if !c.streams {
		first = "Skipped"
	}
	text := fmt.Sprintf("First token check pass: %s\nEOS check pass: %s\nSample length check pass: %s\n"+
		"TEST06 verification complete\n", first, evidence.BoolText(c.severalEnds.n == 0),
		evidence.BoolText(c.wrongCount.n == 0))
	return j.joinVerdict(map[string]string{tree.VerifyAccuracy: text}), ctx.Err()
}

// tokenConsistency checks token answers.
type tokenConsistency struct {
	dtype    evidence.DType
	eos      []float64
	streams  bool
	payloads *payloadFaults

	severalEnds     entryTally // answers with several end tokens
	wrongCount      entryTally // answers whose length differs from the count
	withoutCount    entryTally // answers without a count
	otherFirst      entryTally // answers that do not begin with the token reported first
	unreportedFirst entryTally // answers whose first token was not reported
}

func (c *tokenConsistency) addAnswer(e mllog.AccuracyEntry) {
	c.payloads.addEntry(c.dtype, e)
	size := c.dtype.Size
	data := e.Data[:len(e.Data)/size*size]
	if n := len(data) / size; n >= 2 && c.isEnd(data, n-1) && c.isEnd(data, n-2) {
		c.severalEnds.countEntry(e)
	}
	switch {
	case e.TokenCount < 0:
		c.withoutCount.countEntry(e)
	case e.TokenCount != int64(len(data)/size):
		c.wrongCount.countEntry(e)
	}
	switch {
	case !c.streams:
	case len(e.TokenData) < size || len(e.TokenData)%size != 0:
		c.unreportedFirst.countEntry(e)
	case len(e.TokenData) > len(data) || !evidence.SameTokens(c.dtype, data, e.TokenData):
		c.otherFirst.countEntry(e)
	}
}

// isEnd reports whether token i is an end token.
func (c *tokenConsistency) isEnd(data []byte, i int) bool {
	return slices.Contains(c.eos, c.dtype.At(data, i))
}

func (c *tokenConsistency) judgeAnswers(j *auditJudge) {
	c.payloads.judgePayloads(j)
	for _, f := range []struct {
		entryTally
		check, found, want, do string
	}{
		{c.severalEnds, "eos", "end with two end tokens or more", "one end token at most",
			"end each answer behind its end token, or name the model's: --eos-token-id"},
		{c.wrongCount, "token-count", "have another number of tokens than token_count says", "equal counts",
			"report the tokens of the payload as n_tokens, or name their type: --dtype"},
		{c.withoutCount, "token-count", "have no token_count", "a run with use_token_latencies",
			"run with token latencies on"},
		{c.otherFirst, "first-token", "begin otherwise than the token that was reported first", "the reported token",
			"report each answer's own first token to FirstTokenComplete"},
		{c.unreportedFirst, "first-token", "have no token that was reported first", "a first token of each answer",
			"report it to FirstTokenComplete"},
	} {
		if f.n > 0 {
			j.addReason(&j.accuracyReasons, Reason{Check: f.check, File: j.request.Run.Accuracy,
				Found: fmt.Sprintf("%d of %d answers %s, the first of sample %d", f.n, c.payloads.entries, f.found, f.first),
				Want:  f.want, Advice: f.do})
		}
	}
}
