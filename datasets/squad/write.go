package squad

import (
	"encoding/json"
	"fmt"
	"io"
)

// Records of the file, in the published layout.
type (
	fileRecord struct {
		Version string          `json:"version"`
		Data    []articleRecord `json:"data"`
	}
	articleRecord struct {
		Title      string            `json:"title"`
		Paragraphs []paragraphRecord `json:"paragraphs"`
	}
	paragraphRecord struct {
		Context string           `json:"context"`
		QAs     []questionRecord `json:"qas"`
	}
	questionRecord struct {
		ID       string         `json:"id"`
		Question string         `json:"question"`
		Answers  []answerRecord `json:"answers"`
	}
	answerRecord struct {
		Text  string `json:"text"`
		Start int    `json:"answer_start"`
	}
)

// WriteFile writes paragraphs as a file in the published layout. Consecutive paragraphs with the same title form one
// article.
func WriteFile(w io.Writer, paragraphs []Paragraph) error {
	file := fileRecord{Version: "1.1", Data: []articleRecord{}}
	for _, p := range paragraphs {
		last := len(file.Data) - 1
		if last < 0 || file.Data[last].Title != p.Title {
			file.Data = append(file.Data, articleRecord{Title: p.Title})
			last++
		}
		file.Data[last].Paragraphs = append(file.Data[last].Paragraphs,
			paragraphRecord{p.Context, questionRecords(p.Questions)})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(file); err != nil {
		return fmt.Errorf("write a question-answering data set: %w", err)
	}
	return nil
}

func questionRecords(questions []Question) []questionRecord {
	records := make([]questionRecord, 0, len(questions))
	for _, q := range questions {
		answers := make([]answerRecord, len(q.Answers))
		for i, a := range q.Answers {
			answers[i] = answerRecord(a)
		}
		records = append(records, questionRecord{q.ID, q.Text, answers})
	}
	return records
}
