package serving

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// measurableFigures returns the figures that points of the request can have. Conditions of --fail-if are checked
// against them before the measurement. model is empty until the server has named it.
func (r *benchRequest) measurableFigures(model string) failif.Subject {
	s := failif.Subject{
		Name: cmp.Or(model, r.address) + " " + record.ModeServing, Model: model,
		Metrics: record.ServingMetricNames(r.objectives.Percentiles()),
	}
	if len(r.objectives.Terms) == 0 {
		s.WithholdMetrics("--slo TERMS", isNamed(metric.Goodput, metric.Attainment))
	}
	if r.gpus == 0 {
		s.WithholdMetrics("--gpus N", isNamed(metric.TokensPerGPU))
	}
	if r.price == 0 {
		s.WithholdMetrics("--price PRICE", isNamed(metric.MillionTokenCost))
	}
	if r.meter == nil {
		s.WithholdMetrics("--power METER", metric.IsPower)
	}
	switch r.PromptOptions.API {
	case prompts.Embeddings, prompts.Rerank:
		s.WithholdMetrics("an API that answers with tokens", requiresTokens)
	}
	if r.stream == "off" {
		s.WithholdMetrics("--stream on", requiresStream)
	}
	return s
}

// isNamed returns a function that reports whether a figure is one of some.
func isNamed(some ...metric.Info) func(metric.Info) bool {
	return func(i metric.Info) bool {
		return slices.ContainsFunc(some, func(s metric.Info) bool { return s.Name == i.Name })
	}
}

// requiresStream reports whether a figure requires the times of tokens, which exist only in streams.
func requiresStream(i metric.Info) bool {
	for _, of := range []metric.Times{
		metric.TTFT, metric.TTFTSent, metric.TTFO, metric.TPOT, metric.Gap, metric.Stall,
	} {
		if strings.HasPrefix(i.Name, of.Prefix) {
			return true
		}
	}
	return i.Name == metric.User.Name
}

// requiresTokens reports whether a figure requires the tokens of answers.
func requiresTokens(i metric.Info) bool {
	return requiresStream(i) || isNamed(metric.TokensPerSecond, metric.TokensPerGPU, metric.MillionTokenCost)(i) ||
		i.Name == metric.PowerToken.Name
}

// checkConditions requires that a point of a server with this model can meet each condition.
func (r *benchRequest) checkConditions(model string) error {
	return shell.CheckConditions(r.conditions, []failif.Subject{r.measurableFigures(model)}, false)
}
