package officialdata

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// The shape of the streamed data set.
const (
	streamedUsers = 6
	trainPeriods  = 90
	allPeriods    = 100
	perCategory   = 1_000_000_000 / 128
)

// StreamedRequests is the number of requests that Streamed writes. Each user has one in each period after the training.
const StreamedRequests = streamedUsers * (allPeriods - trainPeriods)

// Streamed writes the folder sampled_data in the form of DLRM v3, and returns the scores of tinymodel's DLRMv3. Each
// request has two candidates; one has the category of the user's last rating. Three of four users like that candidate,
// and the fourth likes the other one.
func Streamed(dir string) (scores map[string]float64, err error) {
	var data strings.Builder
	var offsets, users, starts []string
	for u := range streamedUsers {
		offsets, users = append(offsets, strconv.Itoa(data.Len())), append(users, strconv.Itoa(u))
		data.WriteString(line(streamOf(u)...))
	}
	asked := line(strings.Join(users, ","))
	for t := range allPeriods {
		starts = append(starts, strconv.Itoa(t*len(asked)))
	}
	for name, text := range map[string]string{
		"0.csv": data.String(), "offset.csv": line(strings.Join(offsets, ",")),
		"requests_per_ts.csv":        strings.Repeat(asked, allPeriods),
		"requests_per_ts_offset.csv": line(strings.Join(starts, ",")),
		"users_cumsum_per_ts.csv":    strings.Repeat(line(strconv.Itoa(streamedUsers)), allPeriods),
	} {
		err = errors.Join(err, write(filepath.Join(dir, "sampled_data", name), []byte(text)))
	}
	var right float64
	for u := range streamedUsers {
		if likesSameCategory(u) {
			right++
		}
	}
	right /= streamedUsers
	// Half of the candidates are liked, so predicting the share gives an entropy of one bit.
	entropy := -right*math.Log2(tinymodel.SameCategory) - (1-right)*math.Log2(tinymodel.OtherCategory)
	return map[string]float64{"NE": entropy, "accuracy": 100 * right, "GAUC": 100 * right}, err
}

func likesSameCategory(user int) bool { return user%4 != 3 }

// streamOf returns the cells of a user's line. The block after the training contains items of a category that a model
// must not see.
func streamOf(user int) []string {
	var cells []string
	last := user % 8
	for b := range allPeriods + 2 {
		block := (user + b) % 8
		ids, ratings := fmt.Sprintf("%d,%d", id(last, b), id(last+9, b)), "5.0,1.0"
		if !likesSameCategory(user) {
			ratings = "2.5,4.0"
		}
		history, rated := fmt.Sprintf("%d,%d", id(block+1, b), id(block, b+1)), "3.0,4.5"
		if b == trainPeriods+1 {
			history, rated = strconv.Itoa(id(99, b)), "5.0"
		} else {
			last = block
		}
		cells = append(cells, ids, ratings, history, rated)
	}
	return cells
}

// id returns the id of an item of a category.
func id(category, n int) int { return category*perCategory + 1000*n + 7 }

// line returns a line of CSV as written by Python.
func line(cells ...string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.Write(cells) // writing to a Buffer cannot fail
	w.Flush()
	return b.String()
}

// StreamedTables writes items.npy and users.npy. The rows of the lower half are [0.25, 0], and the others [0.75, 0].
func StreamedTables(dir string, items, users int) error {
	var faults []error
	for name, rows := range map[string]int{"items.npy": items, "users.npy": users} {
		values := make([]float32, 2*rows)
		for i := range rows {
			values[2*i] = 0.25 + float32(2*i/rows)/2
		}
		faults = append(faults, write(filepath.Join(dir, name), array(values, rows, 2)))
	}
	return errors.Join(faults...)
}
