package agentic

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// requestSettings contains the parameters of requests.
type requestSettings struct {
	Temperature float64 `param:"temperature" min:"0" max:"2"`
	MaxTokens   int     `param:"max_new_tokens" min:"1" max:"1<<20"` // limit of tokens per answer
	Seed        int     `param:"seed" min:"0" max:"int32"`
	// per turn; the parameter is in seconds
	Timeout      time.Duration `param:"turn_timeout" min:"1" max:"1<<20" times:"1000000000"`
	AllQuestions bool          `param:"part" choices:"official,all"` // use all questions
	// servers report the number of tokens
	ReportUsage bool `param:"usage" choices:"off,on"`

	requestFields map[string]json.RawMessage // sent with each request
}

func readSettings(r *manifest.Request) (s requestSettings) {
	r.Bind(&s)
	s.requestFields = map[string]json.RawMessage{
		"temperature": numberJSON(s.Temperature), "seed": numberJSON(float64(s.Seed)), "stream": json.RawMessage("true"),
		"max_completion_tokens": numberJSON(float64(s.MaxTokens)),
	}
	if s.ReportUsage {
		s.requestFields["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	return s
}

func numberJSON(v float64) json.RawMessage {
	return json.RawMessage(strconv.FormatFloat(v, 'f', -1, 64))
}
