package agentic

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters.
type settings struct {
	fields  map[string]json.RawMessage // of each request
	most    int                        // tokens of an answer
	timeout time.Duration              // of a turn
	whole   bool                       // all questions, and not the official part
}

func readSettings(r *manifest.Request) (s settings) {
	p := r.Params
	temperature := p.Float("temperature", 0, 2)
	s.most = p.Int("max_new_tokens", 1, 1<<20)
	seed := p.Int("seed", 0, 1<<31-1)
	s.timeout = time.Duration(p.Int("turn_timeout", 1, 1<<20)) * time.Second
	s.whole = option.Pick(p, "part", map[string]bool{"official": false, "all": true})
	s.fields = map[string]json.RawMessage{
		"temperature": number(temperature), "seed": number(float64(seed)), "stream": json.RawMessage("true"),
		"max_completion_tokens": number(float64(s.most)),
	}
	if option.Pick(p, "usage", map[string]bool{"off": false, "on": true}) {
		s.fields["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	return s
}

func number(v float64) json.RawMessage { return json.RawMessage(strconv.FormatFloat(v, 'f', -1, 64)) }
