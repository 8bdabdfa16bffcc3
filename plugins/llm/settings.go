package llm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// settings are the parameters of a model.
type settings struct {
	tokenizer string // path; "embedded"; "server": text goes over, and comes back
	punkt     string // folder of parameters; "": the package's own
	template  string // of prompts: {system}, {instruction} and {input} are replaced
	dtype     generation.DType
	mostInput int // tokens of a prompt; longer ones lose their end; 0: no limit

	limits backend.Prompt // all but the prompt itself
	cache  int64          // bytes
}

// parseSettings reads all parameters, and reports every fault of them at once.
func parseSettings(v map[string]string) (settings, error) {
	p := parser{values: v}
	s := settings{tokenizer: v["tokenizer"], punkt: v["punkt"], template: template(v["prompt"])}
	s.mostInput = p.number("max_prompt_tokens", 0, math.MaxInt32)
	s.limits.MinNewTokens = p.number("min_new_tokens", 0, math.MaxInt32)
	s.limits.MaxNewTokens = p.number("max_new_tokens", 1, math.MaxInt32)
	s.limits.Beams = p.number("beams", 1, 1024)
	s.limits.EarlyStopping = p.flag("early_stopping")
	s.limits.LengthPenalty = p.real("length_penalty")
	s.limits.EOS = p.ids("eos")
	s.cache = int64(p.number("kv_cache_mb", 1, 1<<24)) << 20
	var err error
	if s.dtype, err = generation.ParseDType(v["dtype"]); err != nil {
		p.faults = append(p.faults, fmt.Errorf("parameter dtype: %w", err))
	}
	if s.limits.MinNewTokens > s.limits.MaxNewTokens {
		p.faults = append(p.faults, fmt.Errorf("parameter min_new_tokens = %d, want at most max_new_tokens = %d", s.limits.MinNewTokens, s.limits.MaxNewTokens))
	}
	if !strings.Contains(s.template, "{input}") {
		p.faults = append(p.faults, fmt.Errorf("parameter prompt = %q, want one of %s, or a text with {input} where the sample's belongs", v["prompt"], strings.Join(formNames(), ", ")))
	}
	if len(s.limits.EOS) > 0 {
		s.limits.PadToken = s.limits.EOS[0]
	}
	return s, sdk.Usage(errors.Join(p.faults...))
}

// parser reads values and collects faults.
type parser struct {
	values map[string]string
	faults []error
}

func (p *parser) fault(name, want string) {
	p.faults = append(p.faults, fmt.Errorf("parameter %s = %q, want %s", name, p.values[name], want))
}

func (p *parser) number(name string, least, most int) int {
	n, err := strconv.Atoi(p.values[name])
	if err != nil || n < least || n > most {
		p.fault(name, fmt.Sprintf("a whole number of %d to %d", least, most))
	}
	return n
}

func (p *parser) real(name string) float64 {
	v, err := strconv.ParseFloat(p.values[name], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		p.fault(name, "a number such as 1")
	}
	return v
}

func (p *parser) flag(name string) bool {
	switch p.values[name] {
	case "true":
		return true
	case "false":
	default:
		p.fault(name, "true or false")
	}
	return false
}

// ids reads token ids separated by commas.
func (p *parser) ids(name string) []int32 {
	var all []int32
	for _, text := range strings.Split(p.values[name], ",") {
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil || id < 0 {
			p.fault(name, "token ids separated by commas, such as 128001,128009")
			return nil
		}
		all = append(all, int32(id))
	}
	return all
}
