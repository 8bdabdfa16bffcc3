package page

import (
	"encoding/base64"
	"fmt"
	"html/template"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/internal/record/exhibits"
)

// shownExhibit is a sample that readers can inspect.
type shownExhibit struct {
	Caption, Text string
	Image         template.URL
}

// readExhibits reads the exhibits in an accuracy run's folder, up to room bytes in total. It returns the number of
// bytes.
func (s *runSection) readExhibits(dir, logSHA256 string, room int) (used int) {
	all, err := exhibits.Read(dir, logSHA256)
	if err != nil {
		s.AccuracyNotes = append(s.AccuracyNotes, fmt.Sprintf("Samples to look at: %v", err))
	}
	for _, e := range all {
		shown := shownExhibit{Caption: e.Caption, Text: e.Text}
		if len(e.PNG) > 0 { // base64 of a validated PNG
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
