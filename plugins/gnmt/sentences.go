package gnmt

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/translation"
	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/subword"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// sentences are a data set.
type sentences struct {
	sources    []string // pieces of words, a space apart
	references []string // words, a space apart
	remark     string   // on what the files have; "": nothing
}

// openSentences opens the sentences of a request: the official files, or the synthetic ones.
func openSentences(r *manifest.Request, s settings) sentences {
	if r.Dataset == "" {
		return writeSentences(r)
	}
	sources, err := readLines(filepath.Join(r.Dataset, s.sources))
	if err != nil {
		r.Fault(sdk.Data(fmt.Errorf("sources: %w", err)))
	}
	text := sentences{sources: sources[:min(r.First(len(sources), "sentences"), len(sources))]}
	if r.Scoring {
		text.readReferences(r, s, len(sources))
	}
	return text
}

// readReferences reads what translations are compared with, of a data set of so many sentences.
func (s *sentences) readReferences(r *manifest.Request, o settings, sources int) {
	lines, err := readLines(filepath.Join(r.Dataset, o.references))
	if err != nil {
		r.Fault(sdk.Data(fmt.Errorf("references: %w", err)))
	}
	for _, line := range lines {
		s.references = append(s.references, bleu.Clean(line))
	}
	if err == nil && len(lines) != sources {
		s.remark = fmt.Sprintf("%s has %d lines and %s %d: they do not belong together, or hold characters that end a "+
			"line, such as U+2028; as in the official script, translations are compared line by line all the same",
			o.references, len(lines), o.sources, sources)
	}
}

// mostText is the size up to which a file is read: that of performance runs has 400 MB.
const mostText = 2 << 30

// readLines reads a file's lines, which must be UTF-8.
func readLines(path string) ([]string, error) {
	data, err := backend.ReadFile(path, mostText)
	if err != nil {
		return nil, fmt.Errorf("%w; the data set is a folder with newstest2014.tok.bpe.32000.en and .de, "+
			"parameters sources and references name others", err)
	}
	lines := pystr.Lines(string(data))
	for i, line := range lines {
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s, line %d: it is no UTF-8", path, i+1)
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s is empty, want a sentence a line", path)
	}
	return lines, nil
}

// writeSentences makes the synthetic data set, and splits its sources as the embedded model's vocabulary has them.
func writeSentences(r *manifest.Request) sentences {
	codes, err := embeddedCodes()
	if err != nil {
		r.Fault(err)
		return sentences{}
	}
	set, text := translation.Eval(), sentences{}
	for i := range r.First(translation.EvalCount, "sentences") {
		p := set.At(i)
		text.sources = append(text.sources, strings.Join(codes.Pieces(p.Source), " "))
		text.references = append(text.references, p.Target)
	}
	return text
}

func embeddedCodes() (*subword.Codes, error) {
	data, err := modelFiles.ReadFile("model/bpe.codes")
	if err != nil {
		return nil, err
	}
	return subword.ParseCodes(data)
}
