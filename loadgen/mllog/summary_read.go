package mllog

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// ReadSummary reads a summary log.
func ReadSummary(r io.Reader) (*Summary, error) {
	p := summaryParser{lines: newLineReader(r), s: &Summary{}}
	for p.section = (*summaryParser).start; p.section != nil && p.scan(); {
		p.section = p.section(&p)
	}
	if p.err == nil && p.errors == 0 {
		p.fail("the log ends before the number of errors: the run that wrote it did not finish")
	}
	return p.s, p.err
}

// summaryParser goes through the sections of a summary; each section handles the current line and names the section
// of the next, nil to stop.
type summaryParser struct {
	lines   *lineReader
	s       *Summary
	section section
	text    string // the current line
	blank   bool   // whether the line before was empty
	errors  int    // number of lines on errors
	err     error
}

type section func(*summaryParser) section

func (p *summaryParser) scan() bool {
	p.blank = p.lines.line > 0 && p.text == ""
	line, err := p.lines.next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			p.err = err
		}
		return false
	}
	p.text = string(line)
	return true
}

func (p *summaryParser) fail(text string) section {
	if p.err == nil {
		p.err = &LineError{Log: "summary log", Line: p.lines.line, Text: text}
	}
	return nil
}

// start is the log's first line: empty before a footer, or the first banner.
func (p *summaryParser) start() section {
	switch p.text {
	case "":
		return (*summaryParser).footer
	case strings.TrimSuffix(banner, "\n"):
		return p.title(headResult, (*summaryParser).head)
	}
	return p.fail("want a banner or an empty line, found " + shown([]byte(p.text)))
}

// title expects a title and the banner's second line before a section.
func (p *summaryParser) title(name string, then section) section {
	return func(p *summaryParser) section {
		if p.text != name {
			return p.fail("want " + name + ", found " + shown([]byte(p.text)))
		}
		return func(p *summaryParser) section {
			if p.text+"\n" != banner {
				return p.fail("want the end of the banner, found " + shown([]byte(p.text)))
			}
			return then
		}
	}
}

// head holds names, the headline, the verdict and its conditions.
func (p *summaryParser) head() section {
	label, value, ok := cutField(p.text)
	switch {
	case p.text == recommended:
		return (*summaryParser).recommendations
	case strings.HasSuffix(p.text, "Early Stopping Result:"), p.text == "":
		return p.afterConditions()
	case !ok:
		return p.fail("want LABEL : VALUE, found " + shown([]byte(p.text)))
	case strings.HasPrefix(p.text, "  "):
		p.s.Conditions = append(p.s.Conditions, Field{label, value})
	case label == "SUT name":
		p.s.SUTName = value
	case label == "Scenario":
		p.s.Scenario = value
	case label == "Mode":
		p.s.Mode = value
	case label == "Result is":
		p.s.Result = value
	default:
		p.s.Headline = append(p.s.Headline, Field{label, value})
	}
	return (*summaryParser).head
}

func (p *summaryParser) recommendations() section {
	if text, ok := strings.CutPrefix(p.text, " * "); ok {
		p.s.Recommendations = append(p.s.Recommendations, text)
		return (*summaryParser).recommendations
	}
	if text, ok := strings.CutPrefix(p.text, "   "); ok && len(p.s.Recommendations) > 0 {
		p.s.Recommendations[len(p.s.Recommendations)-1] += "\n" + text
		return (*summaryParser).recommendations
	}
	return p.afterConditions()
}

// afterConditions is an early-stopping title, or the empty line before the statistics.
func (p *summaryParser) afterConditions() section {
	if strings.HasSuffix(p.text, "Early Stopping Result:") {
		p.s.EarlyStopping = append(p.s.EarlyStopping, Field{Label: strings.TrimSuffix(p.text, ":")})
		return (*summaryParser).earlyStopping
	}
	if p.text != "" {
		return p.fail("want an early stopping result or an empty line, found " + shown([]byte(p.text)))
	}
	return (*summaryParser).statsBanner
}

// earlyStopping is a line of a result's text, which may be empty.
func (p *summaryParser) earlyStopping() section {
	last := &p.s.EarlyStopping[len(p.s.EarlyStopping)-1]
	switch {
	case p.text+"\n" == banner:
		last.Value = strings.TrimSuffix(last.Value, "\n")
		return p.title(headStats, (*summaryParser).stats)
	case strings.HasSuffix(p.text, "Early Stopping Result:"):
		return p.afterConditions()
	case last.Value == "" && !p.blank:
		last.Value = p.text
	default:
		last.Value += "\n" + p.text
	}
	return (*summaryParser).earlyStopping
}

func (p *summaryParser) statsBanner() section {
	if p.text+"\n" != banner {
		return p.fail("want a banner, found " + shown([]byte(p.text)))
	}
	return p.title(headStats, (*summaryParser).stats)
}

func (p *summaryParser) stats() section {
	label, value, ok := cutField(p.text)
	switch {
	case p.text == "" && p.blank:
		p.s.Stats = append(p.s.Stats, nil)
		return (*summaryParser).stats
	case p.text == "":
		return (*summaryParser).stats
	case p.text+"\n" == banner:
		return p.title(headParams, (*summaryParser).parameters)
	case !ok:
		return p.fail("want LABEL : VALUE, found " + shown([]byte(p.text)))
	}
	if p.blank || len(p.s.Stats) == 0 {
		p.s.Stats = append(p.s.Stats, nil)
	}
	block := &p.s.Stats[len(p.s.Stats)-1]
	*block = append(*block, Field{label, value})
	return (*summaryParser).stats
}

func (p *summaryParser) parameters() section {
	if p.text == "" || strings.HasPrefix(p.text, "WARNING: ") {
		return p.footer()
	}
	label, value, ok := cutField(p.text)
	if !ok {
		return p.fail("want LABEL : VALUE, found " + shown([]byte(p.text)))
	}
	p.s.Parameters = append(p.s.Parameters, Field{label, value})
	return (*summaryParser).parameters
}

// footer is a line of the notes, or one of the two counts.
func (p *summaryParser) footer() section {
	switch n, kind := counted(p.text); {
	case kind == "warning":
		p.s.Warnings = n
	case kind == "error":
		p.s.Errors = n
		p.errors++
	case p.text != "":
		p.s.Notes += p.text + "\n"
	}
	return (*summaryParser).footer
}

// counted reads a footer line.
func counted(text string) (n uint64, kind string) {
	switch text {
	case noWarnings:
		return 0, "warning"
	case noErrors:
		return 0, "error"
	}
	words := strings.SplitN(text, " ", 3)
	if len(words) < 3 || words[2] != "encountered. See detailed log." {
		return 0, ""
	}
	n, err := strconv.ParseUint(words[0], 10, 64)
	switch {
	case err != nil:
		return 0, ""
	case strings.EqualFold(words[1], "error"), strings.EqualFold(words[1], "errors"):
		return n, "error"
	case words[1] == "warning", words[1] == "warnings":
		return n, "warning"
	}
	return 0, ""
}

// cutField takes "LABEL : VALUE" apart; a heading has an empty value.
func cutField(line string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(line, ": ")
	if !ok {
		label, ok = strings.CutSuffix(line, ":")
	}
	return strings.TrimSpace(label), strings.TrimSpace(value), ok
}
