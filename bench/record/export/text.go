package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Columns returns the names of a row's fields, in the order of all formats.
func Columns() []string {
	return []string{"query", "sample", "sample_index", "scheduled_ns", "issued_ns", "first_token_ns", "completed_ns",
		"latency_ns", "tokens", "run"}
}

// CSV returns the format with a line of Columns and a line for each sample, separated by commas. Missing values are
// empty.
func CSV() Format { return Format{CSVName, writeCSV} }

// JSONL returns the format with a JSON object on each line. Missing values are null.
func JSONL() Format { return Format{JSONLName, writeJSONL} }

func writeCSV(to io.Writer, s Samples) error {
	w := bufio.NewWriterSize(to, 1<<16)
	for i, c := range Columns() {
		if i > 0 {
			_ = w.WriteByte(',') // Flush returns the first fault
		}
		_, _ = w.WriteString(c)
	}
	var line []byte
	end := "," + csvField(s.run)
	for r := range s.Rows() {
		line = strconv.AppendUint(append(line[:0], '\n'), r.Query, 10)
		line = strconv.AppendUint(append(line, ','), r.Sample, 10)
		line = strconv.AppendUint(append(line, ','), uint64(r.Index), 10)
		line = strconv.AppendInt(append(line, ','), r.Scheduled, 10)
		line = strconv.AppendInt(append(line, ','), r.Issued, 10)
		for _, v := range []*int64{r.FirstToken, r.Completed, r.Latency, r.Tokens} {
			if line = append(line, ','); v != nil {
				line = strconv.AppendInt(line, *v, 10)
			}
		}
		line = append(line, end...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	_ = w.WriteByte('\n')
	return w.Flush()
}

// csvField returns text as a field of CSV. It prevents spreadsheets from reading the text as a formula.
func csvField(text string) string {
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		text = "'" + text
	}
	if strings.ContainsAny(text, ",\"\r\n") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

func writeJSONL(to io.Writer, s Samples) error {
	w := bufio.NewWriterSize(to, 1<<16)
	e := json.NewEncoder(w)
	for r := range s.Rows() {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return w.Flush()
}
