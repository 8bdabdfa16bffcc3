package page

import (
	"encoding/base64"
	"fmt"
	"html/template"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/internal/record/exhibits"
)

// shownExhibit is a sample that people can look at.
type shownExhibit struct {
	Caption, Text string
	Image         template.URL
}

// readExhibits reads those of an accuracy run's folder, as many as there is room for, and says how many bytes they
// take.
func (s *runSection) readExhibits(dir, logSHA256 string, room int) (used int) {
	all, err := exhibits.Read(dir, logSHA256)
	if err != nil {
		s.AccuracyNotes = append(s.AccuracyNotes, fmt.Sprintf("Samples to look at: %v", err))
	}
	for _, e := range all {
		shown := shownExhibit{Caption: e.Caption, Text: e.Text}
		if len(e.PNG) > 0 { // base64 of what Read took for a PNG
			shown.Image = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(e.PNG))
		}
		size := len(shown.Caption) + len(shown.Text) + len(shown.Image)
		if used+size > room {
			break
		}
		used += size
		s.Exhibits = append(s.Exhibits, shown)
	}
	s.ExhibitsTitle = "Samples to look at"
	if n := len(all) - len(s.Exhibits); n > 0 {
		s.ExhibitsTitle += fmt.Sprintf(" (%s more in %s)", figure.Count(uint64(n)), exhibits.Folder)
	}
	return used
}
