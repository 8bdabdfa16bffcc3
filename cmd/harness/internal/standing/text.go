package standing

import (
	"cmp"
	"io"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// textColumns is the width of the text without a terminal.
const textColumns = 80

// neighbourCount is the number of entries shown before and after an own run.
const neighbourCount = 4

// WriteText writes the rankings for a terminal, up to 80 columns wide. It writes the best entries and the neighbours,
// or all entries if every is true.
func (r RankingReport) WriteText(w io.Writer, every bool) error {
	b := terminal.WriterTo(w)
	writeWrapped(b, "", r.Note)
	b.Print("\n")
	r.writeTrees(b)
	for _, ranking := range r.Rankings {
		ranking.writeRanking(b, every)
	}
	if len(r.NotRead) > 0 {
		b.Print("\n", terminal.Span{Style: terminal.Heading, Text: "not ranked"}, "\n")
		for _, text := range r.NotRead {
			writeWrapped(b, "  ", text)
		}
	}
	return b.Err()
}

// writeTrees writes the trees that were read. Names are cut to the remaining width of the line.
func (r RankingReport) writeTrees(b *terminal.Writer) {
	round, basis := 0, 0
	for _, tree := range r.Trees {
		round, basis = max(round, terminal.Width(tree.Round)), max(basis, terminal.Width(tree.Basis))
	}
	t := table.Table{Indent: "  "}
	for _, tree := range r.Trees {
		t.Row(tree.Round, tree.Basis, shortName(tree.Name, max(textColumns-round-basis-6, 16))) // 6: spaces between columns
	}
	_, _ = t.WriteTo(b)
}

// writeWrapped writes a text as wrapped lines.
func writeWrapped(b *terminal.Writer, indent, text string) {
	width := textColumns
	if n := b.Columns(); n > 0 {
		width = n
	}
	for i, line := range terminal.Wrap(terminal.Line(text), width-len(indent)-2) {
		if i > 0 {
			line = "  " + line
		}
		b.Print(indent, line, "\n")
	}
}

// shortName shortens a long name by omitting its middle.
func shortName(text string, maxWidth int) string {
	r := []rune(terminal.Line(text))
	if len(r) <= maxWidth {
		return string(r)
	}
	keep := (maxWidth - 3) / 2
	return string(r[:maxWidth-3-keep]) + "..." + string(r[len(r)-keep:])
}

func (r Ranking) writeRanking(b *terminal.Writer, every bool) {
	b.Print("\n", terminal.Span{Style: terminal.Heading, Text: terminal.Line(r.Title())}, "\n\n")
	for _, o := range r.Own {
		writeWrapped(b, "  ", "your run: "+cmp.Or(o.Text, o.Result.Shown())+" "+r.Unit+", "+r.Standing(o))
		for _, text := range o.Remarks() {
			writeWrapped(b, "    ", text)
		}
		b.Print("\n")
		o.writeCompared(b)
	}
	b.Print("\n")
	r.writeEntries(b, every)
	b.Print("\n")
	r.writeSpread(b)
	r.writeRounds(b)
	for _, text := range r.Rules {
		writeWrapped(b, "  ", "not the same in all rounds: "+text)
	}
	for _, text := range r.LeftOut {
		writeWrapped(b, "  ", "left out: "+text)
	}
}

// writeCompared writes a table of three columns within 80 characters. It wraps the last column.
func (o OwnRun) writeCompared(b *terminal.Writer) {
	narrow := b
	if n := b.Columns(); n == 0 || n > textColumns {
		narrow = b.WithColumns(textColumns)
	}
	t := table.Table{Indent: "  "}
	t.Head("", "YOUR RUN", "THE PUBLISHED RESULTS")
	for _, c := range o.Compared {
		t.Row(c.About, c.Own, c.Published)
	}
	_, _ = t.WriteTo(narrow)
}

func (r Ranking) writeEntries(b *terminal.Writer, every bool) {
	t := table.Table{Indent: "  ", RightAligned: []int{0, 1, 2}, KeepWhole: true}
	t.Head("PLACE", "RESULT", "", "ROUND", "SYSTEM", "ON")
	list := r.Near(neighbourCount)
	if every {
		list = make([]*RankedEntry, len(r.Entries))
		for i := range list {
			list[i] = &r.Entries[i]
		}
	}
	own := r.chosenOwn()
	for _, e := range list {
		if e == nil {
			t.Row("", "...")
			continue
		}
		name := shortName(e.Name(), 26)
		if e.Own {
			name = "> " + name
		}
		t.Row(cmp.Or(count(e.Place), "-"), cmp.Or(e.Text, "-"), r.Against(*e, own), e.Round, name, shortName(e.Machine(), 18))
	}
	_, _ = t.WriteTo(b)
}

// spreadWidth is the width of the distribution in characters.
const spreadWidth = 48

// spreadBlocks contains the characters for eight heights.
var spreadBlocks = []rune("▁▂▃▄▅▆▇█")

// writeSpread draws the published results on a logarithmic scale and marks the own one below.
func (r Ranking) writeSpread(b *terminal.Writer) {
	s := r.Spread
	at := logBins(float64(s.Least), float64(s.Largest), spreadWidth)
	counts := make([]int, spreadWidth)
	most := 1
	for _, e := range r.Entries {
		if !e.Own {
			i := at(float64(e.Value))
			counts[i]++
			most = max(most, counts[i])
		}
	}
	line := make([]rune, spreadWidth)
	for i, n := range counts {
		line[i] = ' '
		if n > 0 {
			line[i] = spreadBlocks[(n*len(spreadBlocks)-1)/most]
		}
	}
	low, high := figure.Round(float64(s.Least)), figure.Round(float64(s.Largest))
	b.Print("  ", low, " ", string(line), " ", high, "\n")
	if o := r.chosenOwn(); o.Place > 0 {
		b.Print("  ", strings.Repeat(" ", terminal.Width(low)+1+at(float64(o.Value))), "^ yours\n")
	}
	writeWrapped(b, "  ", "a quarter is below "+figure.Round(float64(s.LowerQuarter))+", half below "+
		figure.Round(float64(s.Median))+", three quarters below "+figure.Round(float64(s.UpperQuarter))+" "+r.Unit)
}

// logBins returns a function that maps values between low and high to bins on a logarithmic scale. Values outside are
// in the first or last bin.
func logBins(low, high float64, bins int) func(float64) int {
	if low <= 0 || high <= low {
		return func(float64) int { return 0 }
	}
	return func(v float64) int {
		share := math.Log(max(v, low)/low) / math.Log(high/low)
		return min(int(share*float64(bins)), bins-1)
	}
}

func (r Ranking) writeRounds(b *terminal.Writer) {
	if len(r.Rounds) < 2 {
		return
	}
	b.Print("\n")
	t := table.Table{Indent: "  ", RightAligned: []int{1, 2, 3}, KeepWhole: true}
	t.Head("ROUND", "RESULTS", "MEDIAN", "BEST", "BY")
	for _, round := range r.Rounds {
		t.Row(round.Name, round.Results, figure.Round(float64(round.Median)), round.Best.Text, shortName(round.Best.Name(),
			38))
	}
	_, _ = t.WriteTo(b)
	b.Print("\n")
}
