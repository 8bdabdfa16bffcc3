package audit

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// judgeTest01 judges accuracy in performance mode: the audit's answers must equal those of the accuracy run, at the
// submission's speed.
func (j *auditJudge) judgeTest01(ctx context.Context) Verdict {
	j.readLogs(true)
	texts := map[string]string{tree.VerifyPerformance: j.compareBand()}
	if !j.request.PerformanceOnly {
		texts[tree.VerifyAccuracy] = j.compareAnswers(ctx)
	}
	v := j.joinVerdict(texts)
	if v.Accuracy == Failed && j.onlyAnswersDiffer() {
		j.judgeFallback(ctx, &v)
	}
	return v
}

// compareBand compares the scores of the two detail logs like the round's script.
func (j *auditJudge) compareBand() (text string) {
	text, _ = j.scoring.Text("TEST01", logPaths(j.request.Reference), logPaths(j.request.Run))
	if j.run == nil || j.reference == nil {
		return text
	}
	reference, test, ok := j.readScores()
	if !j.scoring.ReadsDetails("TEST01") {
		text = j.officialText(reference, test)
	}
	switch {
	case !ok, InBand(j.rules, "TEST01", j.scenario, reference, test):
	case InPrintedBand(j.rules, "TEST01", j.scenario, reference, test):
		j.notePrintedBand(reference, test)
	default:
		t := j.scoring.Tolerance("TEST01", j.scenario, reference)
		j.addReason(&j.performanceReasons, Reason{Check: "score-band", File: j.request.Run.Detail,
			Found: fmt.Sprintf("a score of %g", test),
			Want: fmt.Sprintf("one from %g to %g, within %g %% of the submission's %g", reference*(1-t), reference*(1+t),
				t*100, reference),
			Advice: "run both again on a machine with nothing else to do, with the same settings"})
	}
	j.checkTargetLatency()
	j.checkOfficialAgrees(text)
	return text
}

func logPaths(l Logs) evidence.Paths { return evidence.Paths{Detail: l.Detail, Summary: l.Summary} }

// officialText returns the official script's text for the scores of the detail logs. The script reads summaries, whose
// wording has changed between versions of LoadGen.
func (j *auditJudge) officialText(reference, test float64) string {
	if !InBand(j.rules, j.request.Test, j.scenario, reference, test) &&
		InPrintedBand(j.rules, j.request.Test, j.scenario, reference, test) {
		reference, test = printedScore(reference), printedScore(test)
	}
	return j.scoring.TextOf(j.request.Test, j.scenario, reference, test)
}

func (j *auditJudge) notePrintedBand(reference, test float64) {
	j.addNotef("a score of %g, the submission's is %g: in the band by the two decimals of the summaries alone", test,
		reference)
}

// readScores returns both scores, which must be above 0.
func (j *auditJudge) readScores() (reference, test float64, ok bool) {
	reference, ok = j.readScore(j.reference, j.request.Reference.Detail)
	test, ok2 := j.readScore(j.run, j.request.Run.Detail)
	return reference, test, ok && ok2
}

func (j *auditJudge) readScore(d *mllog.Detail, path string) (float64, bool) {
	v, key, ok := scoreOf(j.scoring, d, j.scenario)
	if ok && v > 0 && !math.IsInf(v, 0) {
		return v, true
	}
	found := "no " + key
	if ok {
		found = fmt.Sprintf("%s %g", key, v)
	}
	if key == "" {
		found = "no score of the scenario " + valueOrMissing(j.scenario)
	}
	j.addReason(&j.performanceReasons, Reason{Check: "score", File: path, Found: found, Want: "a number above 0",
		Advice: "see the summary log for why the run has no result, and run again"})
	return 0, false
}

// checkTargetLatency requires equal latency limits of two Server runs.
func (j *auditJudge) checkTargetLatency() {
	const key = "effective_target_latency_ns"
	if j.scenario != "Server" {
		return
	}
	if want, got := logValueText(j.reference, key), logValueText(j.run, key); got != want {
		j.addReason(&j.performanceReasons, Reason{Check: "target-latency", File: j.request.Run.Detail,
			Found: key + " " + valueOrMissing(got),
			Want:  valueOrMissing(want) + ", the submission's", Advice: "run both with one latency limit"})
	}
}

// checkOfficialAgrees adds a reason if the official script fails although no other reason was found.
func (j *auditJudge) checkOfficialAgrees(text string) {
	if strings.Contains(text, evidence.Pass) || len(j.performanceReasons)+len(j.bothReasons) > 0 {
		return
	}
	all := strings.Split(strings.TrimSpace(text), "\n")
	j.addReason(&j.performanceReasons, Reason{Check: "official",
		Found: "the official script ends with " + strconv.Quote(all[len(all)-1]), Want: evidence.Pass,
		Advice: "see docs/audits.md for what the script reads"})
}

// compareAnswers compares the two accuracy logs.
func (j *auditJudge) compareAnswers(ctx context.Context) string {
	m, tails := evidence.NewMatches[uint64](j.dtype), payloadTails{seed: maphash.MakeSeed()}
	audited, most := j.newPayloadFaults(j.request.Run.Accuracy), j.maxEntries()
	whole := j.readAnswers(ctx, j.request.Run.Accuracy, auditLogName, func(e mllog.AccuracyEntry) {
		audited.addEntry(j.dtype, e)
		if audited.entries <= most && m.AddAudit(e.QSLIndex, j.dtype.First(e.Data)) {
			tails.addAudit(e)
		}
	})
	accuracy, seen := j.newPayloadFaults(j.request.Reference.Accuracy), sampleSet{}
	j.readAnswers(ctx, j.request.Reference.Accuracy, accuracyLogName, func(e mllog.AccuracyEntry) {
		accuracy.addEntry(j.dtype, e)
		m.Accuracy++
		if !seen.addNew(e.QSLIndex) {
			m.Repeated++
			return
		}
		if at, wanted := m.Wants(e.QSLIndex); wanted {
			m.AddReference(at, j.dtype.First(e.Data))
			tails.compareReference(at, e)
		}
	})
	j.checkSampleCount(whole)
	audited.judgePayloads(j)
	accuracy.judgePayloads(j)
	j.judgeMatches(m)
	if n := tails.different; n > 0 && m.Mismatched == 0 {
		j.addNotef("%d of %d samples have answers that differ behind their first element, which this test does not compare",
			n,
			m.Samples())
	}
	return "Verifying accuracy. This might take a while...\nReading accuracy mode results...\n" +
		"Reading performance mode results...\n" + m.Text()
}

// judgeMatches adds reasons from the comparison of answers.
func (j *auditJudge) judgeMatches(m *evidence.Matches[uint64]) {
	if m.Mismatched > 0 {
		j.addReason(&j.accuracyReasons, Reason{Check: answersCheck, File: j.request.Run.Accuracy,
			Found: fmt.Sprintf("%d of %d answers differ from the accuracy run's in their first element", m.Mismatched,
				m.Matched),
			Want:   "equal answers",
			Advice: "if the system may answer differently from run to run, compare the accuracies (docs/audits.md)"})
	}
	if m.Missing > 0 && m.Accuracy > 0 && !j.hasBrokenLog {
		such := strings.Trim(strings.ReplaceAll(fmt.Sprint(m.Absent()), " ", ", "), "[]")
		j.addReason(&j.accuracyReasons, Reason{Check: "unmatched", File: j.request.Reference.Accuracy,
			Found: fmt.Sprintf("no entry for %d of the audit's %d samples, such as %s", m.Missing, m.Samples(), such),
			Want:  "an entry for every sample of the data set", Advice: "take the log of the whole accuracy run"})
	}
	if m.Repeated > j.maxPadding() {
		j.addReason(&j.accuracyReasons, Reason{Check: "sample-twice", File: j.request.Reference.Accuracy,
			Found: fmt.Sprintf("%d entries of samples that it has already", m.Repeated),
			Want:  "each sample once, as in accuracy mode", Advice: "take the log of the accuracy run, unchanged"})
	}
}

// maxPadding returns the maximum number of samples that LoadGen issues again to fill MultiStream's last query.
func (j *auditJudge) maxPadding() int {
	if j.scenario != "MultiStream" || j.reference == nil {
		return 0
	}
	return max(0, int(logCount(j.reference, "effective_samples_per_query"))-1)
}

// answersCheck is the name of the check for differing answers, for which the rules define a fallback.
const answersCheck = "answers"

// sampleSet is a set of sample indices.
type sampleSet map[uint64]uint64

// addNew adds an index and reports whether it was not in the set.
func (s sampleSet) addNew(index uint64) bool {
	word, bit := index/64, uint64(1)<<(index%64)
	if s[word]&bit != 0 {
		return false
	}
	s[word] |= bit
	return true
}

// payloadTails counts payloads that differ anywhere, for a note.
type payloadTails struct {
	seed      maphash.Seed
	sums      []uint64 // hashes of the audit's payloads, in the order of samples
	different int
}

func (t *payloadTails) addAudit(e mllog.AccuracyEntry) {
	t.sums = append(t.sums, maphash.Bytes(t.seed, e.Data))
}

func (t *payloadTails) compareReference(at int, e mllog.AccuracyEntry) {
	if t.sums[at] != maphash.Bytes(t.seed, e.Data) {
		t.different++
	}
}
