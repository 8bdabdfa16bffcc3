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
	for p.section = (*summaryParser).parseStart; p.section != nil && p.scanLine(); {
		p.section = p.section(&p)
	}
	if p.err == nil && p.errors == 0 {
		p.failWith("the log ends before the number of errors: the run that wrote it did not finish")
	}
	return p.s, p.err
}

// summaryParser parses the sections of a summary. Each section parses the current line and returns the section of the
// next line, or nil to stop.
type summaryParser struct {
	lines   *lineReader
	s       *Summary
	section summarySection
	text    string // the current line
	blank   bool   // the previous line was empty
	errors  int    // number of lines that reported errors
	err     error
}

type summarySection func(*summaryParser) summarySection

func (p *summaryParser) scanLine() bool {
	p.blank = p.lines.line > 0 && p.text == ""
	line, err := p.lines.nextLine()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			p.err = err
		}
		return false
	}
	p.text = string(line)
	return true
}

func (p *summaryParser) failWith(text string) summarySection {
	if p.err == nil {
		p.err = &LineError{Log: "summary log", Line: p.lines.line, Text: text}
	}
	return nil
}

// parseStart parses the log's first line: an empty line before a footer, or the first banner.
func (p *summaryParser) parseStart() summarySection {
	switch p.text {
	case "":
		return (*summaryParser).parseFooter
	case strings.TrimSuffix(banner, "\n"):
		return p.expectTitle(headResult, (*summaryParser).parseHead)
	}
	return p.failWith("want a banner or an empty line, found " + quoteText([]byte(p.text)))
}

// expectTitle expects a title and the banner's second line before a section.
func (p *summaryParser) expectTitle(name string, then summarySection) summarySection {
	return func(p *summaryParser) summarySection {
		if p.text != name {
			return p.failWith("want " + name + ", found " + quoteText([]byte(p.text)))
		}
		return func(p *summaryParser) summarySection {
			if p.text+"\n" != banner {
				return p.failWith("want the end of the banner, found " + quoteText([]byte(p.text)))
			}
			return then
		}
	}
}

// parseHead parses the names, the headline, the verdict and its conditions.
func (p *summaryParser) parseHead() summarySection {
	label, value, ok := cutField(p.text)
	switch {
	case p.text == recommended:
		return (*summaryParser).parseRecommendations
	case strings.HasSuffix(p.text, "Early Stopping Result:"), p.text == "":
		return p.parseAfterConditions()
	case !ok:
		return p.failWith("want LABEL : VALUE, found " + quoteText([]byte(p.text)))
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
	return (*summaryParser).parseHead
}

func (p *summaryParser) parseRecommendations() summarySection {
	if text, ok := strings.CutPrefix(p.text, " * "); ok {
		p.s.Recommendations = append(p.s.Recommendations, text)
		return (*summaryParser).parseRecommendations
	}
	if text, ok := strings.CutPrefix(p.text, "   "); ok && len(p.s.Recommendations) > 0 {
		p.s.Recommendations[len(p.s.Recommendations)-1] += "\n" + text
		return (*summaryParser).parseRecommendations
	}
	return p.parseAfterConditions()
}

// parseAfterConditions parses an early-stopping title, or the empty line before the statistics.
func (p *summaryParser) parseAfterConditions() summarySection {
	if strings.HasSuffix(p.text, "Early Stopping Result:") {
		p.s.EarlyStopping = append(p.s.EarlyStopping, Field{Label: strings.TrimSuffix(p.text, ":")})
		return (*summaryParser).parseEarlyStopping
	}
	if p.text != "" {
		return p.failWith("want an early stopping result or an empty line, found " + quoteText([]byte(p.text)))
	}
	return (*summaryParser).parseStatsBanner
}

// parseEarlyStopping parses a line of an early-stopping text. The line may be empty.
func (p *summaryParser) parseEarlyStopping() summarySection {
	last := &p.s.EarlyStopping[len(p.s.EarlyStopping)-1]
	switch {
	case p.text+"\n" == banner:
		last.Value = strings.TrimSuffix(last.Value, "\n")
		return p.expectTitle(headStats, (*summaryParser).parseStats)
	case strings.HasSuffix(p.text, "Early Stopping Result:"):
		return p.parseAfterConditions()
	case last.Value == "" && !p.blank:
		last.Value = p.text
	default:
		last.Value += "\n" + p.text
	}
	return (*summaryParser).parseEarlyStopping
}

func (p *summaryParser) parseStatsBanner() summarySection {
	if p.text+"\n" != banner {
		return p.failWith("want a banner, found " + quoteText([]byte(p.text)))
	}
	return p.expectTitle(headStats, (*summaryParser).parseStats)
}

func (p *summaryParser) parseStats() summarySection {
	label, value, ok := cutField(p.text)
	switch {
	case p.text == "" && p.blank:
		p.s.Stats = append(p.s.Stats, nil)
		return (*summaryParser).parseStats
	case p.text == "":
		return (*summaryParser).parseStats
	case p.text+"\n" == banner:
		return p.expectTitle(headParams, (*summaryParser).parseParameters)
	case !ok:
		return p.failWith("want LABEL : VALUE, found " + quoteText([]byte(p.text)))
	}
	if p.blank || len(p.s.Stats) == 0 {
		p.s.Stats = append(p.s.Stats, nil)
	}
	block := &p.s.Stats[len(p.s.Stats)-1]
	*block = append(*block, Field{label, value})
	return (*summaryParser).parseStats
}

func (p *summaryParser) parseParameters() summarySection {
	if p.text == "" || strings.HasPrefix(p.text, "WARNING: ") {
		return p.parseFooter()
	}
	label, value, ok := cutField(p.text)
	if !ok {
		return p.failWith("want LABEL : VALUE, found " + quoteText([]byte(p.text)))
	}
	p.s.Parameters = append(p.s.Parameters, Field{label, value})
	return (*summaryParser).parseParameters
}

// parseFooter parses a line of the notes or one of the two counts.
func (p *summaryParser) parseFooter() summarySection {
	switch n, kind := parseFooterCount(p.text); {
	case kind == "warning":
		p.s.Warnings = n
	case kind == "error":
		p.s.Errors = n
		p.errors++
	case p.text != "":
		p.s.Notes += p.text + "\n"
	}
	return (*summaryParser).parseFooter
}

// parseFooterCount parses the count in a footer line.
func parseFooterCount(text string) (n uint64, kind string) {
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

// cutField splits "LABEL : VALUE". A heading has an empty value.
func cutField(line string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(line, ": ")
	if !ok {
		label, ok = strings.CutSuffix(line, ":")
	}
	return strings.TrimSpace(label), strings.TrimSpace(value), ok
}
