package check

import "strconv"

// otherSeedsTest is the audit with other seeds.
const otherSeedsTest = "TEST05"

// checkSeeds checks the round's three seeds, or the test's seeds in TEST05. It skips accuracy runs, which cover the
// whole data set in any order.
func (r *resultFolder) checkSeeds(l *runLog) {
	seeds := r.checker.rules.Seeds
	if l.role == otherSeedsTest {
		seeds, _ = r.checker.rules.OtherSeeds()
	}
	for _, c := range []struct {
		key  string
		want uint64
	}{
		{"effective_qsl_rng_seed", seeds.QSL}, {"effective_sample_index_rng_seed", seeds.SampleIndex},
		{"effective_schedule_rng_seed", seeds.Schedule},
	} {
		e, _ := l.detail.First(c.key)
		if got, ok := e.Uint(); !ok || got != c.want {
			r.addFinding(r.logSeverity(l), ruleSeeds, l.logPath(), whatOtherSeed, l.quotedValue(c.key),
				strconv.FormatUint(c.want, 10),
				"run again with the rules of "+r.checker.rules.Name+", or check with the round's rules: --rules")
		}
	}
}
