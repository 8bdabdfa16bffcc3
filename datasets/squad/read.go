package squad

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("question-answering data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// FileName is the name of the published development set.
const FileName = "dev-v1.1.json"

// QuestionSet is a data set that has passed its checks. It is read-only and may be used from many goroutines.
type QuestionSet struct {
	paragraphs []Paragraph
	questions  int
	remarks    []string
}

// FromParagraphs returns a data set with the given paragraphs.
func FromParagraphs(paragraphs []Paragraph) *QuestionSet {
	s := &QuestionSet{paragraphs: paragraphs}
	for _, p := range paragraphs {
		s.questions += len(p.Questions)
	}
	return s
}

// maxBytes limits the size of a file; the published development set has 4.9 MB.
const maxBytes = 1 << 30

// Open reads a JSON file, or dev-v1.1.json in a folder. The error is a [*FaultError] that lists every fault; it wraps
// ErrDataset.
func Open(path string) (*QuestionSet, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	text, err := bounded.ReadFile(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: want the path of a file such as %s of SQuAD 1.1, or of the folder with it: %w",
			ErrDataset, FileName, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	return ParseFile(text, path)
}

// ParseFile parses and checks the content of a file. name is its path, for messages.
func ParseFile(text []byte, name string) (*QuestionSet, error) {
	var faults fault.FaultList
	if at := invalidUTF8(text); at >= 0 {
		faults.Addf("", "byte %d is not UTF-8: is the file in another encoding?", at)
		return nil, faults.Err(ErrDataset, name)
	}
	p := fileParser{faults: &faults, ids: map[string]bool{}}
	p.parseFile(text)
	p.set.remarks = p.remarks.remarkTexts()
	if p.set.questions == 0 && faults.Len() == 0 {
		faults.Addf("", "it has no question")
	}
	return &p.set, faults.Err(ErrDataset, name)
}

// invalidUTF8 returns the index of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// Paragraphs returns all paragraphs, in the order of the file. The caller must not change them.
func (s *QuestionSet) Paragraphs() []Paragraph { return s.paragraphs }

// Remarks returns descriptions of unusual records that can be scored, as the reference does: questions without text or
// answers, and answers that do not occur in their passage. The published set has no remarks.
func (s *QuestionSet) Remarks() []string { return s.remarks }

// fileParser parses the records of a file. It reports an invalid record, leaves it out and continues with the next one.
type fileParser struct {
	faults  *fault.FaultList
	remarks remarkCounts
	ids     map[string]bool // IDs of the questions so far
	set     QuestionSet
}

func (p *fileParser) parseFile(text []byte) {
	var file struct {
		Data *[]json.RawMessage `json:"data"`
	}
	if !p.decodeRecord("", text, &file) || p.reportMissing("", "data", file.Data == nil) {
		return
	}
	for i, article := range *file.Data {
		p.parseArticle(fmt.Sprintf("data[%d]", i), article)
	}
}

func (p *fileParser) parseArticle(where string, text []byte) {
	var article struct {
		Title      string             `json:"title"`
		Paragraphs *[]json.RawMessage `json:"paragraphs"`
	}
	if !p.decodeRecord(where, text, &article) || p.reportMissing(where, "paragraphs", article.Paragraphs == nil) {
		return
	}
	for i, paragraph := range *article.Paragraphs {
		p.parseParagraph(fmt.Sprintf("%s.paragraphs[%d]", where, i), article.Title, paragraph)
	}
}

func (p *fileParser) parseParagraph(where, title string, text []byte) {
	var record struct {
		Context *string            `json:"context"`
		QAs     *[]json.RawMessage `json:"qas"`
	}
	if !p.decodeRecord(where, text, &record) || p.reportMissing(where, "context", record.Context == nil) ||
		p.reportMissing(where, "qas", record.QAs == nil) {
		return
	}
	paragraph := Paragraph{Title: title, Context: *record.Context}
	context := newPassage(paragraph.Context)
	for i, qa := range *record.QAs {
		if q, ok := p.parseQuestion(fmt.Sprintf("%s.qas[%d]", where, i), context, qa); ok {
			paragraph.Questions = append(paragraph.Questions, q)
		}
	}
	p.set.questions += len(paragraph.Questions)
	p.set.paragraphs = append(p.set.paragraphs, paragraph)
}

func (p *fileParser) parseQuestion(where string, context passageText, text []byte) (Question, bool) {
	var record struct {
		ID       *string `json:"id"`
		Question *string `json:"question"`
		Answers  *[]struct {
			Text  *string `json:"text"`
			Start *int    `json:"answer_start"`
		} `json:"answers"`
	}
	if !p.decodeRecord(where, text, &record) {
		return Question{}, false
	}
	before := p.faults.Len()
	p.reportMissing(where, "id", record.ID == nil)
	p.reportMissing(where, "question", record.Question == nil)
	if p.reportMissing(where, "answers", record.Answers == nil) || p.faults.Len() > before {
		return Question{}, false
	}
	q := Question{ID: *record.ID, Text: *record.Question}
	if p.ids[q.ID] {
		p.faults.Addf(where, "its id is that of an earlier question: %.100q", q.ID)
	}
	p.ids[q.ID] = true
	for i, a := range *record.Answers {
		if p.reportMissing(where, fmt.Sprintf("answers[%d].text", i), a.Text == nil) {
			continue
		}
		answer := AcceptedAnswer{Text: *a.Text, Start: -1}
		if a.Start != nil {
			answer.Start = *a.Start
		}
		q.Answers = append(q.Answers, answer)
	}
	p.remarks.checkQuestion(q, context)
	return q, true
}

// decodeRecord decodes a record into v. It reports an invalid record as a fault and returns false.
func (p *fileParser) decodeRecord(where string, text []byte, v any) bool {
	err := json.Unmarshal(text, v)
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil && bytes.Equal(bytes.TrimSpace(text), []byte("null")):
		p.faults.Addf(where, "it is null, want an object")
	case err == nil:
		return true
	case errors.As(err, &mistyped) && mistyped.Field != "":
		p.faults.Addf(where, "%q is a %s, want %v", mistyped.Field, mistyped.Value, mistyped.Type)
	case errors.As(err, &mistyped):
		p.faults.Addf(where, "it is a %s, want an object", mistyped.Value)
	case errors.As(err, &syntax):
		p.faults.Addf(where, "at byte %d: no JSON: %v; is the file truncated?", syntax.Offset, err)
	default:
		p.faults.Addf(where, "%v", err)
	}
	return false
}

// reportMissing reports a missing field of a record if lacks is true.
func (p *fileParser) reportMissing(where, field string, lacks bool) bool {
	if lacks {
		p.faults.Addf(where, "it has no %q", field)
	}
	return lacks
}
