package endpoints

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ClientSettings contains a benchmark's settings for the official client's configuration, as in that client's examples.
type ClientSettings struct {
	API    string          `json:"api_type"`
	Params json.RawMessage `json:"model_params"` // object without the names of model and tokenizer
	// Performance is the client's name of a performance set that it downloads itself; empty: the set is a file.
	Performance string `json:"performance,omitempty"`
	// Columns maps the client's names to the columns of the performance set's file.
	Columns map[string]string `json:"columns,omitempty"`
	// Form builds prompts from a column of the downloaded set; nil: the rows contain whole prompts.
	Form *PromptForm `json:"form,omitempty"`
	// UserMark is the text before the user's part in a set whose prompts are token ids; empty: the prompts are texts.
	UserMark string `json:"user_mark,omitempty"`
	// Accuracy contains the sets of the accuracy run, which the client downloads itself. If it is empty, another client
	// makes that run.
	Accuracy []ClientSet `json:"accuracy,omitempty"`
	// InlineScorer is the scorer of each turn in an agentic performance run.
	InlineScorer string `json:"inline,omitempty"`
	// SWEBench describes the accuracy run of an agentic model by a service; nil: none.
	SWEBench *SWEBenchRun `json:"swe_bench,omitempty"`
}

// SWEBenchRun is a request to the service that runs SWE-bench.
type SWEBenchRun struct {
	Instances int    `json:"instances"`
	Template  string `json:"template,omitempty"` // name of the service's template; empty: the service's default
}

// SWEBenchSet is the data set's name in files of scores.
const SWEBenchSet = "swe_bench"

// RequestFields returns the request settings in Params: fields of the request's body as KEY=JSON in the order of
// Params, and the maximum number of tokens of an answer; 0: the server's own limit.
func (c ClientSettings) RequestFields() (body []string, maxTokens int, err error) {
	var params struct {
		MaxTokens int `json:"max_new_tokens"`
	}
	if err := json.Unmarshal(c.Params, &params); err != nil {
		return nil, 0, fmt.Errorf("model_params: %w", err)
	}
	names, values, err := orderedMembers(c.Params)
	for i, name := range names {
		if name != "max_new_tokens" {
			body = append(body, name+"="+string(values[i]))
		}
	}
	return body, params.MaxTokens, err
}

// orderedMembers returns the names and values of a JSON object in order.
func orderedMembers(object json.RawMessage) (names []string, values []json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // the opening brace
		return nil, nil, err
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, nil, err
		}
		names, values = append(names, fmt.Sprint(name)), append(values, value)
	}
	return names, values, nil
}

// PromptForm builds prompts from a column, like PromptForm in package serving/prompts.
type PromptForm struct {
	Column string                     `json:"column"`
	Text   string                     `json:"text"`             // {} marks the place of the column's text
	Fields map[string]json.RawMessage `json:"fields,omitempty"` // fields of each request
}

// ClientSet is an accuracy data set with the JSON object that defines its scoring.
type ClientSet struct {
	Name    string          `json:"name"`
	Scoring json.RawMessage `json:"accuracy_config"`
}
