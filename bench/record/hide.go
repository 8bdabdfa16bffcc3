package record

import (
	"maps"
	"slices"
)

// Hide removes secrets from texts that come from elsewhere: errors, findings, and the backend's description. hide may
// be nil. Hide does not change shared lists and maps.
func (r *Run) Hide(hide func(text string) string) {
	if hide == nil {
		return
	}
	r.Error.hideSecrets(hide)
	r.Reasons, r.Notes, r.Messages = slices.Clone(r.Reasons), slices.Clone(r.Notes), slices.Clone(r.Messages)
	for i := range r.Reasons {
		r.Reasons[i].Measured, r.Reasons[i].Hint = hide(r.Reasons[i].Measured), hide(r.Reasons[i].Hint)
	}
	for i := range r.Notes {
		r.Notes[i].Text = hide(r.Notes[i].Text)
	}
	for i := range r.Messages {
		r.Messages[i].Text = hide(r.Messages[i].Text)
	}
	r.Estimates = changeEach(r.Estimates, hide)
	r.DivisionReasons = changeEach(r.DivisionReasons, hide)
	r.Command = changeEach(r.Command, hide)
	r.Identity.Label, r.Identity.Entry = hide(r.Identity.Label), hide(r.Identity.Entry)
	r.Identity.Point = changeEach(r.Identity.Point, hide)
	r.Workload.hideSecrets(hide)
	r.Network.hideSecrets(hide)
	r.Power.hideSecrets(hide)
}

func (p *Power) hideSecrets(hide func(string) string) {
	if p != nil {
		p.Source, p.Fault = hide(p.Source), hide(p.Fault)
	}
}

func (f *Failure) hideSecrets(hide func(string) string) {
	if f != nil {
		f.Message, f.Stderr = hide(f.Message), changeEach(f.Stderr, hide)
	}
}

func (w *Workload) hideSecrets(hide func(string) string) {
	if w == nil {
		return
	}
	w.BackendInfo = maps.Clone(w.BackendInfo)
	for key, text := range w.BackendInfo {
		w.BackendInfo[key] = hide(text)
	}
	w.SUT, w.QSL, w.Shares = hide(w.SUT), hide(w.QSL), slices.Clone(w.Shares)
	for i := range w.Shares {
		w.Shares[i].Name = hide(w.Shares[i].Name)
	}
}

func (n *Network) hideSecrets(hide func(string) string) {
	if n == nil {
		return
	}
	n.Nodes, n.ClientWork = slices.Clone(n.Nodes), changeEach(n.ClientWork, hide)
	for i := range n.Nodes {
		n.Nodes[i].Address, n.Nodes[i].Name = hide(n.Nodes[i].Address), hide(n.Nodes[i].Name)
	}
}

// changeEach returns the changed texts; nil for nil.
func changeEach(texts []string, change func(string) string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = change(texts[i])
	}
	return texts
}
