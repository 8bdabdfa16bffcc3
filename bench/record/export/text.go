package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Columns are the names of a row's fields, in the order of every format.
func Columns() []string {
	return []string{"query", "sample", "sample_index", "scheduled_ns", "issued_ns", "first_token_ns", "completed_ns",
		"latency_ns", "tokens", "run"}
}

// CSV is a line of Columns and one for each sample, with commas; what there is not is empty.
func CSV() Format { return Format{CSVName, writeCSV} }

// JSONL is an object on each line, with null for what there is not.
func JSONL() Format { return Format{JSONLName, writeJSONL} }

func writeCSV(to io.Writer, s Samples) error {
	w := bufio.NewWriterSize(to, 1<<16)
	for i, c := range Columns() {
		if i > 0 {
			_ = w.WriteByte(',') // Flush has the first fault
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

// csvField is a text in a line of CSV. A spreadsheet takes none for a formula, whatever it begins with.
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
