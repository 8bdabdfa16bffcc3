package openai

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ backend.SamplingTaker = (*Generator)(nil)

// TakesSampling reports that prompts may have Sampling. All kinds of servers support its fields, except top_k.
func (g *Generator) TakesSampling() bool { return true }

// checkSampling lists the sampling fields of a prompt that the servers do not support.
func (a *requestMaker) checkSampling(p backend.Prompt) []string {
	s := p.Sampling
	if s == nil {
		return nil
	}
	var faults []string
	if err := s.Check(); err != nil {
		faults = append(faults, err.Error())
	}
	if p.Beams > 1 {
		faults = append(faults, "it has sampling, with which there is no beam search")
	}
	if s.TopK != nil && *s.TopK > 0 && a.kind.everyToken == "" && !a.setsBodyField("top_k") {
		faults = append(faults, fmt.Sprintf("it wants top_k = %d, and servers of the kind %s have no such field (option "+
			"server says what they are)", *s.TopK, a.kind.name))
	}
	return faults
}

// appendSampling appends the fields of a prompt's sampling, each preceded by a comma, except those that option body.KEY
// sets.
func (a *requestMaker) appendSampling(b []byte, s *backend.Sampling) []byte {
	if s == nil {
		return b
	}
	topK := ""
	switch {
	case s.TopK == nil:
	case *s.TopK > 0:
		topK = strconv.Itoa(*s.TopK)
	default:
		topK = a.kind.everyToken
	}
	seed := ""
	if s.Seed != nil {
		seed = strconv.FormatInt(*s.Seed, 10)
	}
	for _, f := range []requestField{
		{"temperature", formatNumber(s.Temperature)}, {"top_p", formatNumber(s.TopP)}, {"top_k", topK}, {a.seedName(), seed},
		{"presence_penalty", formatNumber(s.PresencePenalty)}, {"frequency_penalty", formatNumber(s.FrequencyPenalty)},
	} {
		if f.value != "" && !a.setsBodyField(a.fieldPrefix()+f.name) {
			b = append(append(append(append(b, `,"`...), f.name...), `":`...), f.value...)
		}
	}
	return b
}

// formatNumber returns a number as JSON; "" for nil.
func formatNumber(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
