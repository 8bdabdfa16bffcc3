package standing

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// ruleDifferences lists the differences between the rules of the published rounds and of the own run. They limit the
// comparison of figures.
func ruleDifferences(rounds []string, own OwnRun) []string {
	names := slices.DeleteFunc(mlconf.Rounds(), func(name string) bool {
		return !slices.Contains(rounds, name) && name != own.Round
	})
	slices.Reverse(names)
	all := []string{}
	for _, about := range []struct {
		name string
		of   func(*mlconf.Rules) string
	}{
		{"accuracy to reach", func(r *mlconf.Rules) string { return targetText(r.Targets(own.Model, own.Scenario)) }},
		{"latency limit", func(r *mlconf.Rules) string { return limitText(r.LatencyLimit(own.Model, own.Scenario)) }},
		{"limits of tokens", func(r *mlconf.Rules) string { return tokensText(r, own) }},
		{"samples in memory", func(r *mlconf.Rules) string { return countText(r.PerformanceSampleCount(own.Model)) }},
		{"least queries", func(r *mlconf.Rules) string { return countText(r.MinQueries(own.Model, own.Scenario)) }},
	} {
		if text := differingText(names, about.of); text != "" {
			all = append(all, about.name+": "+text)
		}
	}
	return all
}

// differingText lists a property of the rounds, with equal neighbours joined. It is empty if all rounds have the same.
func differingText(names []string, property func(*mlconf.Rules) string) string {
	type span struct{ from, to, text string }
	var spans []span
	for _, name := range names {
		rules, err := mlconf.Round(name)
		if err != nil {
			continue
		}
		text := property(rules)
		if last := len(spans) - 1; last >= 0 && spans[last].text == text {
			spans[last].to = name
			continue
		}
		spans = append(spans, span{name, name, text})
	}
	if len(spans) < 2 {
		return ""
	}
	texts := make([]string, len(spans))
	for i, s := range spans {
		if s.from == s.to {
			texts[i] = s.from + " " + s.text
			continue
		}
		texts[i] = s.from + " to " + s.to + " " + s.text
	}
	return strings.Join(texts, "; ")
}

func targetText(targets []mlconf.Target) string {
	if len(targets) == 0 {
		return "not said"
	}
	texts := make([]string, len(targets))
	for i, t := range targets {
		if t.Upper {
			texts[i] = fmt.Sprintf("%s at most %s", t.Metric, figure.Round(t.Value))
			continue
		}
		texts[i] = fmt.Sprintf("%s %s", t.Metric, figure.Round(t.Value))
	}
	return strings.Join(texts, ", ")
}

func limitText(limit time.Duration) string {
	if limit == 0 {
		return "not said"
	}
	return figure.Short(figure.Millis(limit)) + " ms"
}

func tokensText(r *mlconf.Rules, own OwnRun) string {
	limits, ok := r.TokenLimits(own.Model, own.Scenario)
	if !ok {
		return "not said"
	}
	return fmt.Sprintf("%s to the first, %s for each", limitText(limits.FirstToken), limitText(limits.PerToken))
}

func countText(n uint64) string {
	if n == 0 {
		return "not said"
	}
	return figure.Count(n)
}
