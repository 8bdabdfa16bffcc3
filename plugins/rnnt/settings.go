package rnnt

import "github.com/plumbline-ml/plumbline/sdk/option"

// settings are the parameters of a run.
type settings struct {
	untimed  bool // features are made when a sample is loaded
	position bool // the tensors of the files are bound by their position, whatever they are called
}

func readSettings(p *option.Params) settings {
	return settings{
		untimed:  option.Pick(p, "features", map[string]bool{"timed": false, "untimed": true}),
		position: option.Pick(p, "bind", map[string]bool{"name": false, "position": true}),
	}
}
