package checker

import "github.com/plumbline-ml/plumbline/internal/submission/result"

// Summary returns the report in the form of package result.
func (r *Report) Summary() result.Summary {
	s := result.Summary{Round: r.Round, Verdict: string(r.Verdict), Results: result.Results(r.Rows)}
	s.Without = []result.Without{}
	for _, c := range r.Crashes {
		why := "the official checker crashes: " + c.Text
		s.Without = append(s.Without, result.Without{Folder: c.Path, Reasons: []string{why}})
	}
	for _, folder := range r.Rejected {
		w := result.Without{Folder: folder.Folder}
		for _, reason := range folder.Reasons {
			w.Reasons = append(w.Reasons, reason.Group+": "+reason.Text)
		}
		s.Without = append(s.Without, w)
	}
	for _, folder := range r.Zero {
		s.Without = append(s.Without, result.Without{Folder: folder, Reasons: []string{"performance: the result is 0"}})
	}
	return s
}
