package endpoints

import "encoding/json"

// ClientSettings are what a configuration of the official client says of a benchmark, as the client's examples do.
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
}

// PromptForm makes prompts of a column, as serving's does.
type PromptForm struct {
	Column string                     `json:"column"`
	Text   string                     `json:"text"`             // with {} where the column's text goes
	Fields map[string]json.RawMessage `json:"fields,omitempty"` // of each request
}

// ClientSet is a data set of accuracy, and how its answers are scored: an object.
type ClientSet struct {
	Name    string          `json:"name"`
	Scoring json.RawMessage `json:"accuracy_config"`
}
