package reasoning

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/option"
)

// FuzzSettings gives any values: settings within their bounds, or faults.
func FuzzSettings(f *testing.F) {
	f.Add("plain", "ids", "1", "1", "-1", "", "data", "own", "", "full", "10240", "200002,199999")
	f.Add("<{input}>", "chat", "0.6", "0.95", "20", "42", "token_data", "python:p", "p", "weak", "1", "1")
	f.Add("poem", "fax", "NaN", "0", "0", "-1", "", "sage", "", "none", "0", "1,,2")
	f.Fuzz(func(t *testing.T, prompt, send, temperature, topP, topK, seed, first, grader, execute, sandbox, most,
		eos string) {
		p := option.NewParams(map[string]string{
			"prompt": prompt, "send": send, "temperature": temperature, "top_p": topP, "top_k": topK, "seed": seed,
			"first_token": first, "grader": grader, "execute": execute, "sandbox": sandbox, "max_new_tokens": most,
			"min_new_tokens": "0", "eos": eos, "kv_cache_mb": "1", "max_prompt_tokens": "0", "accuracy_max_new_tokens": "1",
		})
		s := parseSettings(p)
		if p.Err() != nil {
			return
		}
		of := s.promptSampling(3)
		if err := of.Check(); err != nil || (of == nil) != (*s.sampling.Temperature == 0) {
			t.Errorf("%+v, %v", of, err)
		}
		if !strings.Contains(s.Template, "{input}") || s.Limits.MaxNewTokens < 1 || len(s.Limits.EOS) == 0 ||
			of != nil && (of.Seed != nil) != (s.Seed != nil) {
			t.Errorf("settings %+v", s)
		}
	})
}
