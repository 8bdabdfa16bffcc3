package gnmt

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/synthetic/translation"
	"github.com/plumbline-ml/plumbline/plugins/gnmt/internal/subword"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// sentencePairs contains the sentences of a data set with their references.
type sentencePairs struct {
	sources    []string // pieces of words separated by spaces, or plain text
	references []string // words separated by spaces, or plain text
	remark     string   // remark about the files, or ""
}

// openSentences opens the official files of a request, or the synthetic ones.
func openSentences(r *manifest.Request, s searchSettings) sentencePairs {
	if r.Dataset == "" {
		return generateSentences(r, s)
	}
	sources, err := readLines(filepath.Join(r.Dataset, s.Sources), s.PlainText)
	if err != nil {
		r.AddFault(sdk.Data(fmt.Errorf("sources: %w", err)))
	}
	text := sentencePairs{sources: sources[:min(r.SampleCount(len(sources), "sentences"), len(sources))]}
	if r.Scoring {
		text.readReferences(r, s, len(sources))
	}
	return text
}

// readReferences reads the reference translations of a data set with the given number of sentences.
func (s *sentencePairs) readReferences(r *manifest.Request, settings searchSettings, sentenceCount int) {
	lines, err := readLines(filepath.Join(r.Dataset, settings.References), settings.PlainText)
	if err != nil {
		r.AddFault(sdk.Data(fmt.Errorf("references: %w", err)))
	}
	if s.references = lines; !settings.PlainText {
		s.references = make([]string, len(lines))
		for i, line := range lines {
			s.references[i] = bleu.CleanReference(line)
		}
	}
	if err == nil && len(lines) != sentenceCount {
		s.remark = fmt.Sprintf("%s has %d lines and %s %d: they do not belong together, or hold characters that end a "+
			"line, such as U+2028; as in the official script, translations are compared line by line all the same",
			settings.References, len(lines), settings.Sources, sentenceCount)
	}
}

// maxTextBytes limits the size of a file; that of performance runs has 400 MB.
const maxTextBytes = 2 << 30

// readLines reads a UTF-8 file and splits it with splitLines.
func readLines(path string, plain bool) ([]string, error) {
	data, err := backend.ReadFile(path, maxTextBytes)
	if err != nil {
		return nil, fmt.Errorf("%w; the data set is a folder with newstest2014.tok.bpe.32000.en and .de, "+
			"parameters sources and references name others", err)
	}
	lines := splitLines(string(data), plain)
	for i, line := range lines {
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s, line %d: it is not UTF-8", path, i+1)
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s is empty, want a sentence a line", path)
	}
	return lines, nil
}

// splitLines splits a text into lines. PlainText text is split after each line feed and trimmed at the end of lines, as
// in sacreBLEU. The official files are split wherever Python splits lines.
func splitLines(text string, plain bool) []string {
	if !plain {
		return pystr.Lines(text)
	}
	lines := []string{}
	for line := range strings.Lines(text) {
		lines = append(lines, pystr.TrimRight(line))
	}
	return lines
}

// generateSentences generates the synthetic data set. Sources that are not plain text are split into pieces of the
// embedded model's vocabulary.
func generateSentences(r *manifest.Request, s searchSettings) sentencePairs {
	codes, err := embeddedCodes()
	if err != nil {
		r.AddFault(err)
		return sentencePairs{}
	}
	set, text := translation.Eval(), sentencePairs{}
	for i := range r.SampleCount(translation.EvalCount, "sentences") {
		p := set.At(i)
		if !s.PlainText {
			p.Source = strings.Join(codes.Pieces(p.Source), " ")
		}
		text.sources = append(text.sources, p.Source)
		text.references = append(text.references, p.Target)
	}
	return text
}

func embeddedCodes() (*subword.Merges, error) {
	data, err := modelFiles.ReadFile("model/bpe.codes")
	if err != nil {
		return nil, err
	}
	return subword.ParseCodes(data)
}
