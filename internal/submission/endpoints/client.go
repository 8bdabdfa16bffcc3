package endpoints

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ClientSettings contains a benchmark's settings in a configuration of the official client, as in the client's
// examples.
type ClientSettings struct {
	API    string          `json:"api_type"`
	Params json.RawMessage `json:"model_params"` // an object, without the names of model and tokenizer
	// Performance is the client's own name of the performance set, which it fetches by itself; empty: the set is a file.
	Performance string `json:"performance,omitempty"`
	// Columns are those of the performance set's file, by the client's names.
	Columns map[string]string `json:"columns,omitempty"`
	// Form makes the prompts of the set that the client fetches, of a column of that set; nil: rows have whole prompts.
	Form *PromptForm `json:"form,omitempty"`
	// UserMark is the text that begins the user's part of a prompt of the set, which is token ids; empty: it is a text.
	UserMark string `json:"user_mark,omitempty"`
	// Accuracy are the sets of the accuracy run, which the client fetches by itself; none: that run is not this client's.
	Accuracy []ClientSet `json:"accuracy,omitempty"`
	// Inline is the scorer of each turn of an agentic performance run.
	Inline string `json:"inline,omitempty"`
	// SWEBench is the accuracy run of an agentic model, which a service makes; nil: there is none.
	SWEBench *SWEBenchRun `json:"swe_bench,omitempty"`
}

// SWEBenchRun is a request to the service that runs SWE-bench.
type SWEBenchRun struct {
	Instances int    `json:"instances"`
	Template  string `json:"template,omitempty"` // the service's; empty: its default
}

// SWEBenchSet is the data set's name in files of scores.
const SWEBenchSet = "swe_bench"

// RequestFields are what Params puts into each request: fields of its body as KEY=JSON, in the order of Params, and the
// most tokens of an answer; 0: the server's own limit.
func (c ClientSettings) RequestFields() (body []string, maxTokens int, err error) {
	var params struct {
		MaxTokens int `json:"max_new_tokens"`
	}
	if err := json.Unmarshal(c.Params, &params); err != nil {
		return nil, 0, fmt.Errorf("model_params: %w", err)
	}
	names, values, err := membersOf(c.Params)
	for i, name := range names {
		if name != "max_new_tokens" {
			body = append(body, name+"="+string(values[i]))
		}
	}
	return body, params.MaxTokens, err
}

// membersOf are the names and the values of an object of JSON, in its order.
func membersOf(object json.RawMessage) (names []string, values []json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // {
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

// PromptForm makes prompts from a column, like serving's PromptForm.
type PromptForm struct {
	Column string                     `json:"column"`
	Text   string                     `json:"text"`             // with {} where the column's text goes
	Fields map[string]json.RawMessage `json:"fields,omitempty"` // of each request
}

// ClientSet is an accuracy data set with the scoring of its answers, an object.
type ClientSet struct {
	Name    string          `json:"name"`
	Scoring json.RawMessage `json:"accuracy_config"`
}
