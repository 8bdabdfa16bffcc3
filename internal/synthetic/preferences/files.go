package preferences

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// Files returns the files of the official folder sampled_data by their names. One data file contains all users.
func (s *Set) Files() map[string][]byte {
	var data, requests, counts table
	var offsets, requestOffsets []int
	asked := make([][]int, Periods)
	for u := range s.users {
		offsets = append(offsets, data.Len())
		all := s.stream(u)
		data.writeLine(s.cells(all[:])...)
		for p := range asked {
			if len(all[blockOf(p)].candidates) > 0 {
				asked[p] = append(asked[p], u)
			}
		}
	}
	for _, users := range asked {
		requestOffsets = append(requestOffsets, requests.Len())
		requests.writeLine(joinNumbers(users))
		counts.writeLine(strconv.Itoa(len(users)))
	}
	var ends, requestEnds table
	ends.writeLine(joinNumbers(offsets))
	requestEnds.writeLine(joinNumbers(requestOffsets))
	return map[string][]byte{
		"0.csv": data.Bytes(), "offset.csv": ends.Bytes(), "requests_per_ts.csv": requests.Bytes(),
		"requests_per_ts_offset.csv": requestEnds.Bytes(), "users_cumsum_per_ts.csv": counts.Bytes(),
	}
}

// blockOf returns the block of a period.
func blockOf(period int) int {
	if period < TrainPeriods {
		return period + 1
	}
	return period + 2
}

// cells returns the cells of a user's line: for each block the candidates, their ratings, the history, and its ratings.
func (s *Set) cells(all []block) []string {
	cells := make([]string, 0, 4*len(all))
	for _, b := range all {
		for _, items := range [][]ratedItem{b.candidates, b.history} {
			names, ratings := make([]int, len(items)), make([]string, len(items))
			for i, r := range items {
				names[i], ratings[i] = s.names[r.item], formatRating(r)
			}
			cells = append(cells, joinNumbers(names), strings.Join(ratings, ","))
		}
	}
	return cells
}

func formatRating(r ratedItem) string { return strconv.FormatFloat(float64(r.halves)/2, 'f', 1, 64) }

func joinNumbers(values []int) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = strconv.Itoa(value)
	}
	return strings.Join(texts, ",")
}

// table collects the text of a file. Cells with a comma are in double quotes, and lines end with CR and LF.
type table struct{ bytes.Buffer }

func (t *table) writeLine(cells ...string) {
	w := csv.NewWriter(&t.Buffer)
	w.UseCRLF = true
	_ = w.Write(cells) // writing to a Buffer cannot fail
	w.Flush()
}
