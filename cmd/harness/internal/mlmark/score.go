package mlmark

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TaskScore is one row of a task.
type TaskScore struct {
	Metric string  `json:"metric"`
	Value  float64 `json:"value"`
	Units  string  `json:"units"`
}

// TimeScores returns the scores of a throughput or latency task: samples per second over the total time, and the 95th
// percentile of the query times in milliseconds. The percentile is interpolated linearly.
func TimeScores(t Task, total time.Duration, each []time.Duration) []TaskScore {
	scores := []TaskScore{{"throughput", float64(t.Iterations*t.Batch) / total.Seconds(), "fps"}}
	if len(each) > 0 {
		scores = append(scores, TaskScore{"latency", percentileSeconds(each, 0.95) * 1000, "ms"})
	}
	return scores
}

// percentileSeconds returns a percentile of the times in seconds. share is the percentile as a fraction.
func percentileSeconds(each []time.Duration, share float64) float64 {
	sorted := slices.Sorted(slices.Values(each))
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	a, b := sorted[low].Seconds(), sorted[high].Seconds()
	return a + (b-a)*(at-float64(low))
}

// FormatScore formats a score with three significant digits and always a decimal point: 12.3, 1230., 0.00123.
func FormatScore(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	text := strconv.FormatFloat(rounded, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += "."
	}
	return text
}

// TaskResult is a task with its scores.
type TaskResult struct {
	Task    Task        `json:"task"`
	Backend string      `json:"backend"`
	Scores  []TaskScore `json:"scores"`
}

// tableColumns lists the columns of the table.
var tableColumns = []string{
	"Target", "Workload", "H/W", "Prec", "Batch", "Conc.", "Metric", "Score", "Units",
}

// rowFormat is the format of a row in MLMark's table.
const rowFormat = "%-15s %-15s %-5s %-5s %5s %5s %-10s %10s %5s"

// tableWidth is the width of MLMark's table.
const tableWidth = 83

// WriteTable writes results like MLMark. The target is the backend of the run.
func WriteTable(w io.Writer, results []TaskResult) error {
	write := func(cells []string) string {
		args := make([]any, len(cells))
		for i, c := range cells {
			args[i] = c
		}
		return strings.TrimRight(fmt.Sprintf(rowFormat, args...), " ") + "\n"
	}
	text := write(tableColumns) + strings.Repeat("-", tableWidth) + "\n"
	for _, r := range results {
		for _, row := range r.scoreRows() {
			text += write(row)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// WriteCSV writes the columns of WriteTable as CSV, with all digits of the scores.
func WriteCSV(w io.Writer, results []TaskResult) error {
	c := csv.NewWriter(w)
	all := [][]string{tableColumns}
	for _, r := range results {
		for i, row := range r.scoreRows() {
			row[7] = strconv.FormatFloat(r.Scores[i].Value, 'g', -1, 64)
			all = append(all, row)
		}
	}
	return c.WriteAll(all)
}

func (r TaskResult) scoreRows() [][]string {
	var all [][]string
	t := r.Task
	for _, s := range r.Scores {
		all = append(all, []string{
			r.Backend, t.Workload, t.Hardware, t.Precision, strconv.Itoa(t.Batch), strconv.Itoa(t.Concurrency), s.Metric,
			FormatScore(s.Value), s.Units,
		})
	}
	return all
}
